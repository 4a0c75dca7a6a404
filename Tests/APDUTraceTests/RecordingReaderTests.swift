// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import ISO7816
import Synchronization
import Testing

@Suite("Recording reader")
struct RecordingReaderTests {
    private static let phone: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]
    private static let other: [UInt8] = [0x3B, 0x00]

    private func answers(_ count: Int) -> [ScriptedChannel.Step] {
        (0..<count).map { .answer([UInt8($0), 0x90, 0x00]) }
    }

    private func send(_ count: Int, over reader: RecordingReader, ending: CardEnding = .leave) async throws {
        try await reader.withCard(ending: ending) { channel in
            for number in 0..<count { _ = try channel.transmit([0, 0xB0, 0, UInt8(number), 0]) }
        }
    }

    @Test("a tap after each end of the field; the same card left in place goes on in the same tap")
    func taps() async throws {
        let presences = [1, 1, 3, 5].map { CardPresence(atr: Self.phone, eventCount: $0) }
        let base = ScriptedReader(answers(5), presences: presences, removals: [false, true])
        let recorder = TraceRecorder()
        let reader = RecordingReader(base, recorder: recorder)
        _ = try await reader.waitForCard(timeout: nil)
        try await send(1, over: reader)
        #expect(try await reader.waitForRemoval(timeout: .zero) == false)
        _ = try await reader.waitForCard(timeout: nil)
        try await send(1, over: reader)
        #expect(recorder.trace.taps.map(\.exchanges.count) == [2])
        // Another card, without anyone having waited for the first to go.
        _ = try await reader.waitForCard(timeout: nil)
        try await send(1, over: reader)
        #expect(try await reader.waitForRemoval(timeout: .zero))
        _ = try await reader.waitForCard(timeout: nil)
        try await send(2, over: reader)
        #expect(recorder.trace.taps.map(\.exchanges.count) == [2, 1, 2])
        #expect(recorder.trace.exchanges.map(\.response[0]) == [0, 1, 2, 3, 4])
        let lines = recorder.trace.text().split(separator: "\n")
        #expect(lines.filter { $0 == "# FIELD: off" }.count == 2)
    }

    @Test(
        "cutting the power ends the tap; leaving the card or resetting it does not",
        arguments: [(CardEnding.unpower, 2), (.leave, 1), (.reset, 1)])
    func endings(ending: CardEnding, taps: Int) async throws {
        let recorder = TraceRecorder()
        let reader = RecordingReader(ScriptedReader(answers(2)), recorder: recorder)
        for _ in 0..<2 { try await send(1, over: reader, ending: ending) }
        #expect(recorder.trace.taps.count == taps && recorder.trace.exchanges.count == 2)
    }

    @Test("the power is off also when the body throws")
    func bodyThrows() async throws {
        struct Mine: Error {}
        let recorder = TraceRecorder()
        let reader = RecordingReader(ScriptedReader(answers(2)), recorder: recorder)
        await #expect(throws: Mine.self) {
            try await reader.withCard(ending: .unpower) { channel in
                _ = try channel.transmit([0, 0xB0, 0, 0])
                throw Mine()
            }
        }
        try await send(1, over: reader)
        #expect(recorder.trace.taps.map(\.exchanges.count) == [1, 1])
    }

    @Test("the first answer to reset goes into the header, a given one stays")
    func atr() async throws {
        let presences = [Self.phone, Self.other].enumerated().map { CardPresence(atr: $1, eventCount: $0) }
        let recorder = TraceRecorder()
        let reader = RecordingReader(ScriptedReader([], presences: presences), recorder: recorder)
        #expect(recorder.trace.header.atr == nil)
        #expect(try await reader.waitForCard(timeout: nil).atr == Self.phone)
        #expect(try await reader.waitForCard(timeout: nil).atr == Self.other)
        #expect(recorder.trace.header.atr == Self.phone && recorder.trace.header["ATR"] == "3B80800101")
        let given = TraceRecorder(header: TraceHeader([.init(key: "ATR", text: "3B00")]))
        given.cardCame(atr: Self.phone)
        #expect(given.trace.header.atr == Self.other && given.trace.header.values("ATR").count == 1)
    }

    @Test("times are the injected clock's, rounded to milliseconds, an exchange at a time")
    func times() async throws {
        // Looks come in pairs; between exchanges an hour passes.
        let steps: [Duration] = [.milliseconds(12), .seconds(3_600), .microseconds(1_500), .seconds(1), .seconds(2)]
        let clock = SteppingClock { steps[min($0, steps.count - 1)] }
        let recorder = TraceRecorder(now: clock.now)
        try await send(3, over: RecordingReader(ScriptedReader(answers(3)), recorder: recorder))
        #expect(recorder.trace.exchanges.map(\.milliseconds) == [12, 2, 2_000])
        #expect(try APDUTrace(parsing: recorder.trace.text()).exchanges.map(\.milliseconds) == [12, 2, 2_000])
    }

    @Test(
        "a torn command is LOST, ends its tap, and its fault reaches the caller", arguments: [[], [0x90]] as [[UInt8]])
    func torn(short: [UInt8]) async throws {
        let fault = CardChannelError(.cardGone, reason: "gone", rawCode: 0x8010_0069)
        let steps: [ScriptedChannel.Step] = answers(1) + [.fault(fault)] + answers(1) + [.answer(short)]
        let recorder = TraceRecorder()
        let reader = RecordingReader(ScriptedReader(steps), recorder: recorder)
        let error = await #expect(throws: CardChannelError.self) { try await send(3, over: reader) }
        #expect(error?.code == .cardGone && error?.rawCode == 0x8010_0069)
        // A short answer is no fault to the channel itself, but the trace has it as lost all the same.
        try await send(2, over: reader)
        let trace = recorder.trace
        #expect(trace.taps.map(\.exchanges.count) == [1, 1])
        #expect(trace.taps.map(\.lost?.command) == [[0, 0xB0, 0, 1, 0], [0, 0xB0, 0, 1, 0]])
        #expect(trace.text().contains("# LOST: 00B0000100\n"))
        #expect(try APDUTrace(parsing: trace.text()) == trace)
    }

    @Test("what was never said to a card is not recorded, and does not end the tap")
    func neverSent() async throws {
        let recorder = TraceRecorder()
        let over = CardChannelError(.unsupported, reason: "the scope is over")
        let mismatch = CardChannelError(.mismatch, reason: "another command was recorded")
        let steps = answers(1) + [.fault(over), .fault(mismatch), .answer([0x67, 0x00])] + answers(1)
        let channel = recorder.recording(ScriptedChannel(steps))
        _ = try channel.transmit([0, 0xB0, 0, 0])
        for _ in 0..<2 { #expect(throws: CardChannelError.self) { try channel.transmit([0, 0xB0, 0, 0]) } }
        _ = try channel.transmit([0, 0xB0])
        _ = try channel.transmit([0, 0xB0, 0, 1])
        #expect(recorder.trace.taps.map(\.exchanges.count) == [2] && recorder.trace.taps[0].lost == nil)
    }

    @Test("name and polling are the base's, and a wait without a card is its error")
    func base() async {
        let reader = RecordingReader(ScriptedReader([]), recorder: TraceRecorder())
        #expect(reader.name == "scripted")
        #expect(await reader.polling == .manual(advice: "none"))
        let error = await #expect(throws: CardChannelError.self) { try await reader.waitForCard(timeout: nil) }
        #expect(error?.code == .noCard)
    }
}
