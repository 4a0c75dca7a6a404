// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import Foundation
import ISO7816
import Testing

@Suite("A trace as a reader")
struct TraceReaderTests {
    private func reader(_ text: String, _ matching: ReplayMatching = .exact) throws -> TraceReader {
        TraceReader(try APDUTrace(parsing: text), name: "x", matching: matching)
    }

    private func send(_ commands: String..., over reader: TraceReader) async throws -> [String] {
        try await reader.withCard(ending: .leave) { channel in try commands.map { try channel.send($0) } }
    }

    private func code(_ body: () async throws -> Void) async -> CardChannelError.Code? {
        let error = await #expect(throws: CardChannelError.self) { try await body() }
        return error?.code
    }

    private static let two = "00B00000\n9000\n00B00001\n9001\n# FIELD: off\n00B00002\n9002\n"

    @Test("without field marks a second access goes on where the first stopped")
    func goesOn() async throws {
        let reader = try reader("00B00000\n9000\n00B00001\n9001\n00B00002\n9002\n")
        #expect(try await send("00B00000", over: reader) == ["9000"])
        #expect(await reader.remaining == 2)
        #expect(try await send("00B00001", "00B00002", over: reader) == ["9001", "9002"])
        #expect(await code { _ = try await send("00B00000", over: reader) } == .noCard)
    }

    @Test("a used-up tap is a card that left; a used-up trace has no card")
    func usedUp() async throws {
        let reader = try reader(Self.two)
        let first = await code { _ = try await send("00B00000", "00B00001", "00B00002", over: reader) }
        #expect(first == .cardGone)
        #expect(try await send("00B00002", over: reader) == ["9002"])
        #expect(await code { _ = try await reader.waitForCard(timeout: nil) } == .noCard)
        #expect(await code { _ = try await send("00B00002", over: reader) } == .noCard)
        #expect(await reader.remaining == 0)
    }

    @Test("each wait brings the next tap, also when the one before was not read to its end")
    func waits() async throws {
        let reader = try reader(Self.two)
        let first = try await reader.waitForCard(timeout: nil)
        #expect(try await reader.waitForCard(timeout: nil) == first)
        #expect(try await send("00B00000", over: reader) == ["9000"])
        let second = try await reader.waitForCard(timeout: .zero)
        #expect(second.eventCount > first.eventCount && second.atr == first.atr)
        #expect(await code { _ = try await send("00B00001", over: reader) } == .mismatch)
        #expect(try await send("00B00002", over: reader) == ["9002"])
    }

    @Test("after the removal the next access is the next tap")
    func removal() async throws {
        let reader = try reader(Self.two)
        #expect(try await send("00B00000", over: reader) == ["9000"])
        #expect(try await reader.waitForRemoval(timeout: nil))
        #expect(try await send("00B00002", over: reader) == ["9002"])
    }

    @Test("an empty trace never has a card")
    func empty() async throws {
        let reader = try reader("# WHAT: nothing\n")
        #expect(await code { _ = try await reader.waitForCard(timeout: nil) } == .noCard)
        #expect(await code { _ = try await send("00B00000", over: reader) } == .noCard)
    }

    @Test("the answer to reset is the recorded one, or a contactless card's")
    func atr() async throws {
        let recorded = try reader("# ATR: 3B8F8001804F0CA0000003060300030000000068\n\n" + Self.two)
        #expect(try await recorded.waitForCard(timeout: nil).atr.count == 20)
        let none = try reader(Self.two)
        #expect(try await none.waitForCard(timeout: nil).atr == TraceReader.defaultATR)
        #expect(try ATR(TraceReader.defaultATR).isContactless)
        #expect(recorded.name == "replay:x")
        #expect(await recorded.polling == .automatic(route: "recorded trace"))
    }

    @Test("what the body throws comes out, and the tap goes on")
    func bodyThrows() async throws {
        struct Mine: Error {}
        let reader = try reader(Self.two)
        await #expect(throws: Mine.self) {
            try await reader.withCard(ending: .unpower) { channel in
                _ = try channel.send("00B00000")
                throw Mine()
            }
        }
        #expect(try await send("00B00001", over: reader) == ["9001"])
    }

    @Test("waits in a cancelled task are cancelled")
    func cancelled() async throws {
        let reader = try reader(Self.two)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            var codes: [CardChannelError.Code] = []
            do throws(CardChannelError) { _ = try await reader.waitForCard(timeout: nil) } catch {
                codes.append(error.code)
            }
            do throws(CardChannelError) { _ = try await reader.waitForRemoval(timeout: nil) } catch {
                codes.append(error.code)
            }
            return codes
        }
        task.cancel()
        #expect(await task.value == [.cancelled, .cancelled])
    }

    @Test("a file is named; one that is not there is an error")
    func files() async throws {
        let path = NSTemporaryDirectory() + "countertop-\(UUID().uuidString).apdu"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Self.two.write(toFile: path, atomically: false, encoding: .utf8)
        let reader = try TraceReader(file: path)
        #expect(reader.name == "replay:" + path)
        #expect(try await send("00B00000", over: reader) == ["9000"])
        let error = #expect(throws: TraceError.self) { try TraceReader(file: path + ".none") }
        #expect(error?.code == .unreadableFile && error?.line == 0)
    }
}
