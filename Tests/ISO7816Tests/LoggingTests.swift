// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Logging
import Synchronization
import Testing

@Suite("The log of a channel")
struct LoggingTests {
    private static let secret = "5413330089600010"

    @Test(
        "no data byte of any command or answer is logged by default",
        arguments: ["0020008008", "80A8000008", "00DA000008", "00D6000008"])
    func noData(head: String) throws {
        let log = LogLines()
        let command = try Hex.decode(head + Self.secret)
        let card = ScriptedChannel([.answer(try Hex.decode(Self.secret + "9000")), .answer([0x63, 0xC2])])
        let channel = LoggingChannel(card, logger: log.logger())
        #expect(try channel.transmit(command) == Hex.decode(Self.secret + "9000"))
        #expect(try channel.transmit(command) == [0x63, 0xC2])
        let header = head.prefix(8)
        let expected = [
            "command \(header), 13 bytes", "response 9000, 10 bytes", "command \(header), 13 bytes",
            "response 63C2, 2 bytes",
        ]
        #expect(log.lines.withLock { $0 } == expected)
    }

    @Test("nor when the card goes: the reason's code is logged, not its text")
    func fault() {
        let log = LogLines()
        let fault = CardChannelError(.interfered, reason: "reset with \(Self.secret)")
        let channel = LoggingChannel(ScriptedChannel([.fault(fault)]), logger: log.logger())
        let error = #expect(throws: CardChannelError.self) { try channel.transmit([0, 0xB0, 0, 0, 0] as [UInt8]) }
        #expect(error?.code == .interfered)
        #expect(log.lines.withLock { $0 } == ["command 00B00000, 5 bytes", "no response: interfered"])
    }

    @Test("random exchanges: every line is header, length and status word")
    func random() {
        var random = SeededRandom(seed: 72)
        for _ in 0..<500 {
            let log = LogLines()
            let command = random.bytes(Int.random(in: 0...20, using: &random))
            let answer = random.bytes(Int.random(in: 0...20, using: &random))
            _ = try? LoggingChannel(ScriptedChannel([.answer(answer)]), logger: log.logger()).transmit(command)
            let lines = log.lines.withLock { $0 }
            #expect(
                lines == [
                    "command \(Hex.encode(command.prefix(4))), \(command.count) bytes",
                    "response \(Hex.encode(answer.suffix(2))), \(answer.count) bytes",
                ])
        }
    }

    @Test("data is there when it is asked for")
    func data() throws {
        let log = LogLines()
        let card = ScriptedChannel([.answer([0xAB, 0x90, 0x00])])
        _ = try LoggingChannel(card, logger: log.logger(), showsData: true).transmit([0, 0xB0, 0, 0, 1] as [UInt8])
        #expect(log.lines.withLock { $0 } == ["command 00B0000001, 5 bytes", "response AB9000, 3 bytes"])
    }

    @Test("nothing is logged above level trace")
    func level() throws {
        let log = LogLines()
        var logger = log.logger()
        logger.logLevel = .debug
        _ = try LoggingChannel(ScriptedChannel([.answer([0x90, 0x00])]), logger: logger).transmit([0, 0xB0, 0, 0])
        #expect(log.lines.withLock { $0.isEmpty })
    }
}
