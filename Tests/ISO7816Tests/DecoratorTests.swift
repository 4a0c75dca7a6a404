// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Synchronization
import Testing

@Suite("Channel decorators")
struct DecoratorTests {
    private func hex(_ text: String) throws -> [UInt8] { try Hex.decode(text) }

    @Test(
        "status words of Apple VAS pass untouched", arguments: ["6287", "6A83", "6984", "6B00", "6700", "6340", "9000"])
    func untouched(word: String) throws {
        let card = ScriptedChannel([.answer(try hex(word))])
        let response = try CompletingChannel(card).transmit([0x80, 0xCA, 1, 1, 0])
        #expect(Hex.encode(response) == word && card.received.count == 1)
    }

    @Test("61xx is fetched on the same logical channel, part by part")
    func getResponse() throws {
        let card = ScriptedChannel([
            .expect(try hex("01B0000000"), answer: try hex("AA6102")),
            .expect(try hex("01C0000002"), answer: try hex("BB6100")),
            .expect(try hex("01C0000000"), answer: try hex("CC9000")),
        ])
        #expect(try GetResponseChannel(card).transmit(try hex("01B0000000")) == hex("AABBCC9000"))
    }

    @Test("a card that always has more is not asked for ever")
    func bounded() throws {
        let card = ScriptedChannel(Array(repeating: .answer([0x61, 0x00]), count: 400))
        #expect(try GetResponseChannel(card).transmit([0, 0xB0, 0, 0, 0]) == [0x61, 0x00])
        #expect(card.received.count == 257)
    }

    @Test("6Cxx is corrected once")
    func correctLength() throws {
        let card = ScriptedChannel([
            .expect(try hex("80CA010101AA00"), answer: try hex("6C05")),
            .expect(try hex("80CA010101AA05"), answer: try hex("6C06")),
        ])
        #expect(try CorrectLengthChannel(card).transmit(try hex("80CA010101AA00")) == hex("6C06"))
        #expect(card.remaining == 0)
    }

    @Test("long data goes as a chain; a refusal ends it")
    func chaining() throws {
        let data = [UInt8](repeating: 9, count: 300)
        let command = try CommandAPDU(cla: 0, ins: 0xDA, p1: 0, p2: 0, data: data, ne: 65_536)
        let card = ScriptedChannel([.answer([0x90, 0x00]), .answer([0x6A, 0x80])])
        #expect(try CommandChainingChannel(card).transmit(command.bytes) == [0x6A, 0x80])
        let sent = try card.received.map { try CommandAPDU($0) }
        #expect(sent.map(\.cla) == [0x10, 0x00])
        #expect(sent.flatMap { Array($0.data) } == data)
        #expect(sent.map(\.ne) == [nil, 256])
        let refusing = ScriptedChannel([.answer([0x68, 0x84])])
        #expect(try CommandChainingChannel(refusing).transmit(command.bytes) == [0x68, 0x84])
        #expect(refusing.received.count == 1)
    }

    @Test("the log has header, lengths and status word, and data only when asked")
    func logging() throws {
        let log = LogLines()
        let command = try hex("80CA010102AABB00")
        _ = try LoggingChannel(ScriptedChannel([.answer(try hex("CCDD9000"))]), logger: log.logger()).transmit(command)
        #expect(log.lines.withLock { $0 } == ["command 80CA0101, 8 bytes", "response 9000, 4 bytes"])
        let fault = ScriptedChannel([.fault(CardChannelError(.cardGone, reason: "gone"))])
        #expect(throws: CardChannelError.self) {
            try LoggingChannel(fault, logger: log.logger(), showsData: true).transmit(command)
        }
        #expect(log.lines.withLock { $0.last } == "no response: cardGone")
        #expect(log.lines.withLock { $0.contains("command 80CA010102AABB00, 8 bytes") })
    }

    @Test("every exchange is timed, answered or not")
    func timing() {
        let ticks = Mutex(0)
        var durations: [Duration] = []
        let channel = TimingChannel(
            CutChannel(ScriptedChannel([.answer([0x90, 0x00])]), after: 1),
            now: {
                ticks.withLock {
                    $0 += 1; return .milliseconds($0 * $0)
                }
            },
            report: { durations.append($1) })
        for _ in 0..<2 { _ = try? channel.transmit([0, 0xB0, 0, 0]) }
        #expect(durations == [.milliseconds(3), .milliseconds(7)])
        #expect(MonotonicTime.milliseconds(.microseconds(1_500)) == 2)
        #expect(MonotonicTime.milliseconds(.seconds(-1)) == 0)
    }

    @Test("the order: GET RESPONSE is corrected, a corrected command is chained, the log shows the wire")
    func order() throws {
        let log = LogLines()
        let data = [UInt8](repeating: 9, count: 256)
        let command = try CommandAPDU(cla: 0, ins: 0xDA, p1: 0, p2: 0, data: data, ne: 256)
        let card = ScriptedChannel(try ["9000", "6C02", "9000", "6103", "6C01", "AA9000"].map { .answer(try hex($0)) })
        let line = LoggingChannel(TimingChannel(card) { _, _ in }, logger: log.logger())
        let response = try CompletingChannel(CommandChainingChannel(line)).transmit(command.bytes)
        #expect(response == [0xAA, 0x90, 0x00])
        let instructions = card.received.map { Hex.encode($0.prefix(2)) }
        #expect(instructions == ["10DA", "00DA", "10DA", "00DA", "00C0", "00C0"])
        #expect(log.lines.withLock { $0.count } == 12)
    }
}
