// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Testing

@Suite("Channels for tests")
struct TestChannelTests {
    private let read: [UInt8] = [0, 0xB0, 0, 0]

    @Test("a script checks, answers, fails and ends")
    func script() throws {
        let fault = CardChannelError(.timedOut, reason: "late")
        let card = ScriptedChannel([.expect([1, 2, 3, 4], answer: [0x90, 0]), .fault(fault)])
        #expect(throws: CardChannelError.self) { try card.transmit([1, 2, 3, 5] as [UInt8]) }
        #expect(try card.transmit([1, 2, 3, 4] as [UInt8]) == [0x90, 0])
        let late = #expect(throws: CardChannelError.self) { try card.transmit([0, 0, 0, 0] as [UInt8]) }
        #expect(late?.code == .timedOut)
        let over = #expect(throws: CardChannelError.self) { try card.transmit([0, 0, 0, 0] as [UInt8]) }
        #expect(over?.code == .mismatch && card.received.count == 4)
    }

    @Test("another command than the script's leaves the step where it is, and is told apart in words")
    func mismatch() throws {
        let card = ScriptedChannel([.expect(read, answer: [0x90, 0]), .answer([0x6A, 0x82])])
        for number in 1...2 {
            let error = #expect(throws: CardChannelError.self) { try card.transmit([0, 0xB1, 0, 0] as [UInt8]) }
            #expect(error?.code == .mismatch)
            #expect(error?.reason == "command \(number): expected 00B00000, got 00B10000")
            #expect(card.remaining == 2)
        }
        #expect(try card.transmit(read) == [0x90, 0] && card.remaining == 1)
        // A step without a command takes any.
        #expect(try card.transmit([9, 9, 9, 9] as [UInt8]) == [0x6A, 0x82] && card.remaining == 0)
        #expect(card.received == [[0, 0xB1, 0, 0], [0, 0xB1, 0, 0], read, [9, 9, 9, 9]])
    }

    @Test("a script can be followed from several threads; each step is given once")
    func threads() async {
        let card = ScriptedChannel((0..<200).map { .answer([UInt8($0), 0x90, 0]) })
        let seen = await withTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<50).compactMap { _ in try? card.transmit([0, 0xB0, 0, 0] as [UInt8]).first } }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(seen.sorted() == (0..<200).map { UInt8($0) } && card.remaining == 0)
    }

    @Test("a cut channel loses its card at the exchange that is chosen", arguments: 0...3)
    func cut(after: Int) {
        let base = ScriptedChannel(Array(repeating: .answer([0x90, 0]), count: 5))
        let channel = CutChannel(base, after: after)
        let answered = (0..<5).filter { _ in (try? channel.transmit([0, 0, 0, 0] as [UInt8])) != nil }
        #expect(answered.count == after && base.received.count == after && channel.received == 5)
        let error = #expect(throws: CardChannelError.self) { try channel.transmit(read) }
        #expect(error?.code == .cardGone && error?.reason == "the card left the field at exchange 6")
    }

    @Test("before the cut the base's own faults come through, and count")
    func faults() {
        let late = CardChannelError(.timedOut, reason: "late")
        let channel = CutChannel(ScriptedChannel([.fault(late), .answer([0x90, 0])]), after: 1)
        let first = #expect(throws: CardChannelError.self) { try channel.transmit(read) }
        let second = #expect(throws: CardChannelError.self) { try channel.transmit(read) }
        #expect(first?.code == .timedOut && second?.code == .cardGone)
    }
}
