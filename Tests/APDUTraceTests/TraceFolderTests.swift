// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import AppleVAS
import CardTesting
import EmulatedWallet
import Foundation
import ISO7816
import Synchronization
import Testing
import WalletCrypto

private let regenerates = ProcessInfo.processInfo.environment["COUNTERTOP_REGENERATE_TRACES"] == "1"

/// Every exchange of a synthetic trace takes twelve milliseconds.
private func steppingClock() -> @Sendable () -> Duration {
    let clock = FixedSteps()
    return { clock.next() }
}

private final class FixedSteps: Sendable {
    private let time = Mutex(Duration.zero)
    func next() -> Duration {
        time.withLock { time in
            time += .milliseconds(12)
            return time
        }
    }
}

private func record(_ synthetic: SyntheticCase) async throws -> APDUTrace {
    let recorder = TraceRecorder(now: steppingClock())
    let reader = RecordingReader(EmulatedReader(try synthetic.phone()), recorder: recorder)
    let ring = try SyntheticCase.ring()
    let seen = try await Expectation.observe(
        reader, taps: synthetic.taps, merchants: synthetic.merchants, mode: synthetic.mode, ring: ring)
    var trace = recorder.trace
    var lines = [TraceHeader.Line(key: "WHAT", text: synthetic.what)]
    lines.append(.init(key: "SOURCE", text: "synthetic, countertop's emulated phone"))
    lines.append(.init(key: "KEY-ID", text: Hex.encode(Digest.sha256(try SyntheticCase.key().publicKey.x).prefix(4))))
    lines.append(.init(key: "MODE", text: "\(synthetic.mode.rawValue)"))
    lines += synthetic.merchants.map { .init(key: "REQUEST", text: Expectation.request($0)) }
    lines += seen.map { .init(key: "EXPECT", text: $0) }
    lines += trace.header.lines + [.init(key: "PROTOCOL", text: "T=1")]
    trace.header = TraceHeader(lines)
    return trace
}

@Suite("apdu-traces")
struct TraceFolderTests {
    @Test(
        "are written anew", .enabled(if: regenerates, "COUNTERTOP_REGENERATE_TRACES is not 1"),
        arguments: SyntheticCase.all)
    func regenerate(synthetic: SyntheticCase) async throws {
        let text = try await record(synthetic).text()
        try text.write(toFile: "\(TraceFiles.folder)/\(synthetic.name).apdu", atomically: true, encoding: .utf8)
    }

    @Test("hold one file for each case")
    func complete() throws {
        let names = try TraceFiles.discover().map(\.name)
        #expect(Set(names).isSuperset(of: SyntheticCase.all.map(\.name)))
    }

    @Test(
        "give a terminal what they say they give", .disabled(if: regenerates, "the files are being written"),
        arguments: try TraceFiles.discover())
    func replay(file: TraceFiles.Case) async throws {
        let header = file.trace.header
        let mode = try #require(header["MODE"].flatMap(UInt8.init).flatMap(VASMode.init(rawValue:)))
        let merchants = try header.values("REQUEST").map { try Expectation.merchant($0) }
        for matching in [ReplayMatching.varying, .equivalent, ReplayMatching(.equivalent, skipping: true)] {
            let reader = TraceReader(file.trace, name: file.name, matching: matching)
            let seen = try await Expectation.observe(
                reader, taps: file.trace.taps.count, merchants: merchants, mode: mode, ring: SyntheticCase.ring())
            #expect(seen == header.expectations)
            #expect(await reader.remaining == 0)
            await #expect(throws: CardChannelError.self) { try await reader.waitForCard(timeout: nil) }
        }
        #expect(header.what != nil && header.source != nil)
        #expect(try APDUTrace(parsing: file.trace.text()) == file.trace)
    }

    @Test(
        "are what the emulated phone says today, varying parts blanked",
        .disabled(if: regenerates, "the files are being written"), arguments: SyntheticCase.all)
    func current(synthetic: SyntheticCase) async throws {
        let written = try APDUTrace(file: "\(TraceFiles.folder)/\(synthetic.name).apdu")
        let differences = TraceComparison(written, try await record(synthetic)).differences
        #expect(differences.isEmpty)
    }
}
