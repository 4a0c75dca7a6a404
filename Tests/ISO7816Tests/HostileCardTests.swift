// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Synchronization
import Testing

/// Answers whatever a closure says, and counts.
private final class ClosureCard: CardChannel, Sendable {
    private let count = Mutex(0)
    private let answer: @Sendable (_ number: Int, _ command: [UInt8]) -> [UInt8]

    init(_ answer: @escaping @Sendable (_ number: Int, _ command: [UInt8]) -> [UInt8]) { self.answer = answer }

    var commands: Int { count.withLock { $0 } }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        return answer(number, command)
    }
}

@Suite("Decorators and hostile cards")
struct HostileCardTests {
    private let read: [UInt8] = [0x00, 0xB0, 0x00, 0x00, 0x00]

    @Test("the longest response there is comes through whole")
    func longest() throws {
        let card = ClosureCard { number, _ in
            [UInt8](repeating: UInt8(number & 0xFF), count: 256) + (number == 255 ? [0x90, 0x00] : [0x61, 0x00])
        }
        let response = try CompletingChannel(card).transmit(read)
        #expect(response.count == 65_538 && response.suffix(2) == [0x90, 0x00] && card.commands == 256)
        #expect(response[256 * 7] == 7 && response[65_535] == 255)
    }

    @Test("parts that grow beyond any response are an error, not an endless answer", arguments: [256, 4_000, 65_536])
    func tooLong(part: Int) throws {
        let card = ClosureCard { _, _ in [UInt8](repeating: 0, count: part) + [0x61, 0xFF] }
        let error = #expect(throws: CardChannelError.self) { try GetResponseChannel(card).transmit(read) }
        #expect(error?.code == .unsupported)
        #expect(card.commands <= 257 && card.commands <= 65_536 / part + 2)
    }

    @Test("a last part that makes it too long is an error as well")
    func lastPart() {
        let card = ClosureCard { number, _ in
            number == 0 ? [UInt8](repeating: 0, count: 65_536) + [0x61, 0x01] : [0x00, 0x90, 0x00]
        }
        let error = #expect(throws: CardChannelError.self) { try GetResponseChannel(card).transmit(read) }
        #expect(error?.code == .unsupported && card.commands == 2)
    }

    @Test(
        "GET RESPONSE stays on the command's logical channel, without chaining and secure messaging",
        arguments: [
            (0x00, 0x00), (0x03, 0x03), (0x0E, 0x02), (0x10, 0x00), (0x40, 0x40), (0x45, 0x45), (0x7F, 0x4F),
            (0x80, 0x00), (0x93, 0x00), (0xFF, 0x00),
        ] as [(UInt8, UInt8)])
    func logicalChannel(cla: UInt8, expected: UInt8) throws {
        let card = ScriptedChannel([
            .answer([0x61, 0x01]), .expect([expected, 0xC0, 0, 0, 0x01], answer: [0xAA, 0x90, 0x00]),
        ])
        #expect(try GetResponseChannel(card).transmit([cla, 0xB0, 0, 0, 0] as [UInt8]) == [0xAA, 0x90, 0x00])
    }

    @Test("a card that always asks for another Le is asked twice", arguments: [0x6C00, 0x6C01, 0x6CFF] as [UInt16])
    func anotherLe(word: UInt16) throws {
        let status = StatusWord(rawValue: word)
        let card = ClosureCard { _, _ in status.bytes }
        #expect(try CompletingChannel(card).transmit(read) == status.bytes)
        #expect(card.commands == 2)
    }

    @Test("6Cxx with data, or for what is no command, is handed on")
    func notCorrected() throws {
        for (command, answer) in [(read, [0xAA, 0x6C, 0x05]), ([0x00, 0xB0], [0x6C, 0x05])] as [([UInt8], [UInt8])] {
            let card = ClosureCard { _, _ in answer }
            #expect(try CorrectLengthChannel(card).transmit(command) == answer)
            #expect(card.commands == 1)
        }
    }

    @Test("the corrected command keeps its form and its data")
    func form() throws {
        let long = try CommandAPDU(cla: 0, ins: 0xCB, p1: 0, p2: 0, data: [UInt8](repeating: 1, count: 300), ne: 65_536)
        let card = ScriptedChannel([.answer([0x6C, 0x20]), .answer([0x90, 0x00])])
        _ = try CorrectLengthChannel(card).transmit(long.bytes)
        let second = try CommandAPDU(try #require(card.received.last))
        #expect(second.isExtended && second.ne == 0x20 && second.data == long.data)
    }

    @Test("a fault in the middle of an answer is that fault", arguments: 1...3)
    func fault(after: Int) {
        let card = CutChannel(ClosureCard { _, _ in [0x01, 0x61, 0x01] }, after: after)
        let error = #expect(throws: CardChannelError.self) { try CompletingChannel(card).transmit(read) }
        #expect(error?.code == .cardGone && card.received == after + 1)
    }

    @Test("a chain has the fewest links, and its last one the rest", arguments: [256, 510, 511, 65_535])
    func chain(count: Int) throws {
        let command = try CommandAPDU(cla: 0x80, ins: 0xE2, p1: 1, p2: 2, data: SeededRandom.source(seed: 5)(count))
        let card = ScriptedChannel(Array(repeating: .answer([0x90, 0x00]), count: 300))
        #expect(try CommandChainingChannel(card).transmit(command.bytes) == [0x90, 0x00])
        let links = try card.received.map { try CommandAPDU($0) }
        #expect(links.count == (count + 254) / 255)
        #expect(links.flatMap { Array($0.data) } == Array(command.data))
        #expect(links.dropLast().allSatisfy { $0.cla == 0x90 && $0.data.count == 255 && $0.ne == nil })
        #expect(links.last?.cla == 0x80 && links.allSatisfy { !$0.isExtended && $0.ins == 0xE2 && $0.p2 == 2 })
    }

    @Test("what is short enough, or no command, is not chained", arguments: ["00B00000", "00DA00000101", "00B0", ""])
    func notChained(hex: String) throws {
        let command = try Hex.decode(hex)
        let card = ScriptedChannel([.expect(command, answer: [0x6D, 0x00])])
        #expect(try CommandChainingChannel(card).transmit(command) == [0x6D, 0x00])
    }

    @Test("whatever a card answers, the decorators come to an end")
    func anything() {
        for seed in UInt64(0)..<300 {
            let random = Mutex(SeededRandom(seed: seed))
            let card = ClosureCard { _, _ in
                random.withLock { random in
                    let words: [UInt8] = [0x61, 0x6C, 0x90, 0x6A]
                    let end = [words.randomElement(using: &random) ?? 0, random.bytes(1).first ?? 0]
                    return random.bytes(Int.random(in: 0...300, using: &random))
                        + end.prefix(Int.random(in: 0...8, using: &random))
                }
            }
            let channel = CompletingChannel(CommandChainingChannel(card))
            let command = random.withLock { $0.bytes(Int.random(in: 0...600, using: &$0)) }
            _ = try? channel.transmit(command)
            #expect(card.commands <= 2 * (CompletingChannel<ClosureCard>.maximumRounds + 1) * 3)
        }
    }
}
