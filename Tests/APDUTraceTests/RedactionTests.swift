// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import Foundation
import ISO7816
import Synchronization
import Testing

@Suite("Redaction when recording")
struct RedactionTests {
    private static let visa: [UInt8] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]

    @Test("the hook sees the application that is selected and the number of the tap")
    func context() throws {
        let seen = Mutex<[TraceContext]>([])
        let recorder = TraceRecorder(redacting: { exchange, context in
            seen.withLock { $0.append(context) }
            return exchange
        })
        let steps = ["9000", "9000", "6A82", "9000", "6283", "9000", "9000"].map { try? Hex.decode($0) }
        let channel = recorder.recording(ScriptedChannel(steps.map { .answer($0 ?? []) }))
        let payment = try CommandAPDU.select(AID(Self.visa))
        let record = try CommandAPDU(cla: 0, ins: 0xB2, p1: 1, p2: 0x0C, ne: 256)
        // Before any SELECT; selected; a refused SELECT keeps it; a warning selects as well.
        for command in [record, .select(.valueAddedServices), payment, record, payment, record] {
            _ = try channel.transmit(command.bytes)
        }
        recorder.fieldOff()
        _ = try channel.transmit(record.bytes)
        let (vas, card) = (AID.valueAddedServices, try AID(Self.visa))
        #expect(seen.withLock { $0.map(\.selected) } == [nil, vas, vas, vas, card, card, nil])
        #expect(seen.withLock { $0.map(\.tap) } == [0, 0, 0, 0, 0, 0, 1])
    }

    @Test("what the hook gives back is what is kept and written; the original is nowhere")
    func output() throws {
        let recorder = TraceRecorder(redacting: { exchange, _ in
            var exchange = exchange
            exchange.command.replaceSubrange(5..., with: repeatElement(0xFF, count: exchange.command.count - 5))
            exchange.response = exchange.response.dropLast(2).map { _ in 0xEE } + exchange.response.suffix(2)
            exchange.comments = ["redacted"]
            exchange.milliseconds = nil
            return exchange
        })
        let card = ScriptedChannel([.answer([0x12, 0x34, 0x90, 0x00]), .answer([])])
        let channel = recorder.recording(card)
        let pin: [UInt8] = [0x00, 0x20, 0x00, 0x80, 0x02, 0x56, 0x78]
        // The caller and the card see the real bytes.
        #expect(try channel.transmit(pin) == [0x12, 0x34, 0x90, 0x00])
        _ = try channel.transmit(pin)
        #expect(card.received == [pin, pin])
        let text = recorder.trace.text()
        #expect(!text.contains("5678") && !text.contains("1234"))
        #expect(recorder.trace.exchanges.first?.command == [0x00, 0x20, 0x00, 0x80, 0x02, 0xFF, 0xFF])
        #expect(recorder.trace.exchanges.first?.response == [0xEE, 0xEE, 0x90, 0x00])
        #expect(
            recorder.trace.taps[0].lost
                == LostCommand(command: [0, 0x20, 0, 0x80, 2, 0xFF, 0xFF], comments: ["redacted"]))
        #expect(text.components(separatedBy: "# redacted").count == 3 && !text.contains("ms"))
        #expect(try APDUTrace(parsing: text) == recorder.trace)
    }

    @Test("a hook that leaves no APDU leaves header and status word, and the trace can still be read")
    func nothingLeft() throws {
        let recorder = TraceRecorder(redacting: { exchange, _ in
            TraceExchange(command: [], response: exchange.response.isEmpty ? [] : [0x99])
        })
        let channel = recorder.recording(ScriptedChannel([.answer([0x12, 0x34, 0x6A, 0x80]), .answer([])]))
        for _ in 0..<2 { _ = try channel.transmit([0x00, 0x20, 0x00, 0x80, 0x02, 0x56, 0x78]) }
        let trace = recorder.trace
        #expect(trace.exchanges == [TraceExchange(command: [0, 0x20, 0, 0x80], response: [0x6A, 0x80])])
        #expect(trace.taps[0].lost?.command == [0, 0x20, 0, 0x80])
        #expect(try APDUTrace(parsing: trace.text()) == trace)
    }
}
