// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import EmulatedWallet
import Foundation
import ISO7816
import Testing

@testable import ProximityReader

@Suite("Taps recorded and replayed through the API")
struct ReplayTests {
    /// Records a read on the emulated phone, writes the trace, and reads it back from the file.
    private func replay(
        _ request: VASRequest, _ phone: (inout PhoneDefinition) -> Void = { _ in }
    ) async throws -> (bench: Bench, recorded: [String], result: Result<VASReadResult, any Error>, events: [String]) {
        let recorder = TraceRecorder()
        let bench = try Bench(phone, reader: nil) {
            $0.wrapReader = { RecordingReader($0, recorder: recorder) }
        }
        let recorded = await bench.read(request)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).apdu")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(recorder.trace.text().utf8).write(to: file)
        var configuration = bench.counter.configuration
        configuration.wrapReader = nil
        configuration.reader = .replay(file: file.path)
        let second = bench.on(Counter(configuration))
        let (result, events) = await second.read(request)
        #expect(caseName(result) == caseName(recorded.result))
        return (second, recorded.events, result, events)
    }

    @Test("A good read")
    func good() async throws {
        let replayed = try await replay(Bench.request(Bench.club, Bench.cafe))
        #expect(replayed.events == Sequence.good && replayed.recorded == Sequence.good)
        #expect(try replayed.bench.messages(replayed.result) == ["M-1", "C-2"])
        #expect(replayed.bench.counter.lastTap?.readerName.hasPrefix("replay:") == true)
    }

    @Test("A locked phone and its second tap")
    func locked() async throws {
        let replayed = try await replay(Bench.request(Bench.club)) {
            $0.locked = true
            $0.unlocksAtTap = 2
        }
        #expect(replayed.events == replayed.recorded)
        #expect(try replayed.bench.messages(replayed.result) == ["M-1"])
    }

    @Test("A torn tap and the next", arguments: 1...3)
    func torn(at command: Int) async throws {
        let replayed = try await replay(Bench.request(Bench.club, Bench.cafe)) {
            $0.leavesFieldAt = command
            $0.leavesFieldTaps = 1
        }
        #expect(replayed.events == replayed.recorded)
        #expect(replayed.events == Sequence.retry + Sequence.good)
        #expect(try replayed.bench.messages(replayed.result) == ["M-1", "C-2"])
    }

    @Test("A card that is no wallet")
    func noWallet() async throws {
        let replayed = try await replay(Bench.request(Bench.club)) { $0.wallet = .none }
        #expect(replayed.events == Sequence.failedTap)
    }

    @Test("A locked trace that ends there, a used-up trace, a trace of something else")
    func ends() async throws {
        let bench = try Bench()
        let select = try Hex.decode("00A404000A4F53452E5641532E303100")
        let wallet = try Hex.decode("6F1650084170706C655061799F210201009F23040000001E9000")
        func read(_ taps: [[TraceExchange]]) async -> (result: Result<VASReadResult, any Error>, events: [String]) {
            let trace = APDUTrace(taps: taps.map { APDUTrace.Tap(exchanges: $0) })
            var configuration = bench.counter.configuration
            configuration.reader = .custom(TraceReader(trace, name: "test", matching: .equivalent))
            return await bench.on(Counter(configuration)).read()
        }
        let selection = TraceExchange(command: select, response: wallet)
        let other = TraceExchange(command: try Hex.decode("00B0000000"), response: [0x90, 0x00])
        let mismatch = await read([[selection, other]])
        #expect(caseName(mismatch.result) == "cardReadFailed")
        #expect(mismatch.events == Sequence.failedTap)
        let empty = await read([])
        // A reader of the caller's own counts as one that people tap: nobody came.
        #expect(caseName(empty.result) == "readCancelled")
        #expect(empty.events == Sequence.cancelled)
    }
}

extension Bench {
    /// The same keys and phone on another counter.
    func on(_ counter: Counter) -> Bench {
        var copy = self
        copy.counter = counter
        return copy
    }
}
