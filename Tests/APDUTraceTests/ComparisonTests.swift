// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import ISO7816
import Testing

@Suite("Comparing traces")
struct ComparisonTests {
    private func trace(_ text: String) throws -> APDUTrace { try APDUTrace(parsing: text) }

    private func texts(_ left: String, _ right: String) throws -> [String] {
        TraceComparison(try trace(left), try trace(right)).differences.map(\.description)
    }

    private static let three = "00B00000\n9000\n00B00001\n9000\n00B00002\n9000\n"

    @Test("times, comments, the header beside ATR, and blanks do not count")
    func notCounted() throws {
        let left = "# WHAT: one\n# SOURCE: here\n\n# a\n00B00000\n9000\n# 5ms\n# end\n"
        #expect(try texts(left, "# WHAT: two\n\n00 b0 00 00\n90 00\n# 9ms\n").isEmpty)
    }

    @Test(
        "answers to reset",
        arguments: [
            ("3B00", "3B00", nil), ("3B00", "3b 00", nil), ("3B00", "3F00", "ATR: 3B00 and 3F00"),
            ("3B00", nil, "ATR: 3B00 and none"), (nil, "3F00", "ATR: none and 3F00"), (nil, nil, nil),
        ] as [(String?, String?, String?)])
    func atr(left: String?, right: String?, expected: String?) throws {
        let texts = try texts(
            (left.map { "# ATR: \($0)\n\n" } ?? "") + Self.three, (right.map { "# ATR: \($0)\n\n" } ?? "") + Self.three)
        #expect(texts == [expected].compactMap(\.self))
    }

    @Test("a missing exchange stands on one side only, with its line")
    func missing() throws {
        let two = "00B00000\n9000\n00B00002\n9000\n"
        let line = "line 3: 00B00001 (4 bytes), 2 bytes, 9000"
        #expect(try texts(Self.three, two) == ["only left, " + line])
        #expect(try texts(two, Self.three) == ["only right, " + line])
        #expect(try texts(Self.three, "").count == 3)
        #expect(try texts("", Self.three).allSatisfy { $0.hasPrefix("only right") })
    }

    @Test("exchanges in another order are not the same")
    func order() throws {
        let swapped = "00B00001\n9000\n00B00000\n9000\n00B00002\n9000\n"
        let differences = TraceComparison(try trace(Self.three), try trace(swapped)).differences
        #expect(differences.count == 2)
        let sides = differences.map { difference in
            switch difference {
            case .onlyLeft: "left"
            case .onlyRight: "right"
            default: "other"
            }
        }
        #expect(Set(sides) == ["left", "right"])
    }

    @Test("another command or another response in the same place, with the byte")
    func places() throws {
        let command = "00B00000\n9000\n00B0FF01\n9000\n00B00002\n9000\n"
        #expect(
            try texts(Self.three, command)
                == ["command, lines 3 and 3, from byte 2: 00B00001 (4 bytes) and 00B0FF01 (4 bytes)"])
        let response = "00B00000\n9000\n\n00B00001\n016A82\n00B00002\n9000\n"
        #expect(
            try texts(Self.three, response)
                == ["response to 00B00001 (4 bytes), lines 3 and 4, from byte 0: 2 bytes, 9000 and 3 bytes, 6A82"])
        let longer = Self.three.replacing("00B00001\n9000", with: "00B00001\n900000")
        guard
            case .response(_, 3, _, 3, 2)? = TraceComparison(try trace(Self.three), try trace(longer)).differences.first
        else { return #expect(Bool(false), "one response begins with the other: it differs from its end on") }
    }

    @Test("taps and lost commands")
    func marks() throws {
        let divided = "00B00000\n9000\n# FIELD: off\n00B00001\n9000\n00B00002\n9000\n"
        #expect(try texts(divided, Self.three) == ["field off only left, after line 1"])
        #expect(try texts(Self.three, divided) == ["field off only right, after line 1"])
        let lost = Self.three + "# LOST: 00B00003\n"
        #expect(try texts(lost, Self.three) == ["only left, line 7: the card left at 00B00003 (4 bytes)"])
        #expect(try texts(Self.three, lost) == ["only right, line 7: the card left at 00B00003 (4 bytes)"])
        #expect(try texts(lost, Self.three + "# LOST: 00B00004\n").count == 2)
        #expect(try texts(lost, lost).isEmpty)
        // Lost on one side, answered on the other.
        #expect(try texts(lost, Self.three + "00B00003\n9000\n").count == 2)
    }

    @Test("nonces and cryptograms are blanked; key id, length and the rest of the command are not")
    func varying() throws {
        func trace(_ nonce: UInt32, merchant: UInt8 = 0xAA, keyID: UInt8 = 0xA1, _ body: [UInt8]) throws -> APDUTrace {
            let exchange = TraceExchange(
                command: try Commands.getVASData(merchant, nonce: nonce),
                response: Commands.answer(keyID: keyID, body))
            return APDUTrace(taps: [.init(exchanges: [exchange])])
        }
        let left = try trace(1, [1, 2, 3])
        #expect(TraceComparison(left, try trace(2, [4, 5, 6])).isEqual)
        #expect(TraceComparison(left, try trace(2, [1, 2, 3]), blanking: false).differences.count == 1)
        #expect(TraceComparison(left, try trace(1, keyID: 0xA2, [1, 2, 3])).differences.count == 1)
        #expect(TraceComparison(left, try trace(1, [1, 2, 3, 4])).differences.count == 1)
        #expect(TraceComparison(left, try trace(1, merchant: 0xAB, [1, 2, 3])).differences.count == 1)
    }

    @Test("the device nonce is blanked in the answer to SELECT OSE.VAS.01 only")
    func deviceNonce() throws {
        func trace(_ aid: AID, _ nonce: String) throws -> APDUTrace {
            let exchange = TraceExchange(
                command: CommandAPDU.select(aid).bytes, response: try Hex.decode("6F099F2404\(nonce)" + "50009000"))
            return APDUTrace(taps: [.init(exchanges: [exchange])])
        }
        func areEqual(_ aid: AID) throws -> Bool {
            TraceComparison(try trace(aid, "01020304"), try trace(aid, "05060708")).isEqual
        }
        #expect(try areEqual(.valueAddedServices))
        #expect(try !areEqual(.proximityPaymentSystem))
    }

    @Test("the text of a difference holds headers and lengths only")
    func noData() throws {
        let left = "002000800431323334\n9000\n00B2010C00\n70045413330089\n"
        let right = "002000800439383736\n9000\n00B2010C00\n70045413331189\n# LOST: 002000800455555555\n"
        let texts = try texts(left, right)
        #expect(texts.count == 3)
        for secret in ["31323334", "39383736", "5413", "55555555"] {
            #expect(!texts.contains { $0.contains(secret) })
        }
    }

    @Test("the other way round, what only one has is what only the other has")
    func mirrored() throws {
        let left = try trace("# ATR: 3B00\n\n" + Self.three + "# FIELD: off\n00B00009\n9000\n")
        let right = try trace("00B00000\n6A82\n00B00002\n9000\n00B00007\n9000\n# LOST: 00B00008\n")
        let (there, back) = (TraceComparison(left, right), TraceComparison(right, left))
        func surplus(_ comparison: TraceComparison) -> Int {
            comparison.differences.reduce(0) { sum, difference in
                switch difference {
                case .onlyLeft: sum + 1
                case .onlyRight: sum - 1
                default: sum
                }
            }
        }
        #expect(surplus(there) == left.exchanges.count - right.exchanges.count)
        #expect(surplus(back) == -surplus(there) && !there.isEqual)
        #expect(TraceComparison(left, left).isEqual && TraceComparison(right, right).isEqual)
    }
}
