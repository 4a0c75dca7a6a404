// SPDX-License-Identifier: Apache-2.0

import ISO7816
import Testing

/// Answers from a list and keeps what was sent; the last answer repeats for ever.
private final class ListChannel: CardChannel {
    private(set) var sent: [String] = []
    private let answers: [[UInt8]]

    init(_ hex: String...) throws { answers = try hex.map { try Hex.decode($0) } }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        defer { sent.append(Hex.encode(command)) }
        return answers[min(sent.count, answers.count - 1)]
    }
}

@Suite("Completing channel")
struct CompletingChannelTests {
    private func run(_ channel: ListChannel, _ command: String = "80CA010102AABB00") throws -> String {
        Hex.encode(try CompletingChannel(channel).transmit(try Hex.decode(command)))
    }

    @Test("an ordinary answer passes unchanged", arguments: ["9000", "01029000", "6A83", "61", ""])
    func ordinary(answer: String) throws {
        let channel = try ListChannel(answer)
        #expect(try run(channel) == answer)
        #expect(channel.sent == ["80CA010102AABB00"])
    }

    @Test("61xx fetches the rest, in as many parts as the card wants")
    func more() throws {
        let channel = try ListChannel("01026102", "03046100", "059000")
        #expect(try run(channel) == "01020304059000")
        #expect(channel.sent.dropFirst() == ["00C0000002", "00C0000000"])
    }

    @Test("a bad word in the middle ends the answer with that word; a lost card loses it")
    func broken() throws {
        #expect(try run(ListChannel("01026102", "6985")) == "01026985")
        #expect(try run(ListChannel("01026102", "")) == "")
    }

    @Test("6Cxx repeats the command with the Le it tells, once")
    func wrongLe() throws {
        let channel = try ListChannel("6C05", "01020304059000")
        #expect(try run(channel) == "01020304059000")
        #expect(channel.sent == ["80CA010102AABB00", "80CA010102AABB05"])
        let without = try ListChannel("6C00", "6C00")
        #expect(try run(without, "00B00000") == "6C00")
        #expect(without.sent == ["00B00000", "00B0000000"])
    }

    @Test("6Cxx and then 61xx")
    func both() throws {
        #expect(try run(ListChannel("6C04", "01026102", "03049000")) == "010203049000")
    }

    @Test("a card that announces more for ever is left at the limit")
    func endless() throws {
        let channel = try ListChannel("6100")
        #expect(try run(channel) == "6100")
        #expect(channel.sent.count == 257)
    }
}
