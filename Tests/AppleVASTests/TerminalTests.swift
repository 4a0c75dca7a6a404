// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Synchronization
import Testing

@testable import AppleVAS

@Suite("A tap")
struct TerminalTests {
    private let merchants = ["pass.a", "pass.b", "pass.c"].map { VASMerchant(passTypeIdentifier: $0) }
    private let terminal = VASTerminal(mode: .vasAndPayment, nonce: { [0, 0, 0, 0] })
    private static let cryptogram = [UInt8](repeating: 0xCC, count: 56)

    private func channel(cutAt cut: Int? = nil) -> AnswerChannel {
        AnswerChannel(
            [Sample.fci + [0x90, 0x00], [0x6A, 0x83], Sample.answer(Self.cryptogram), [0x62, 0x87]], cutAt: cut)
    }

    private func capabilities(_ command: [UInt8]) throws -> [UInt8]? {
        try TLV.read(CommandAPDU(command).data).first(0x9F26)?.bytes
    }

    @Test("SELECT once, one command per merchant in order, more-follows on all but the last")
    func order() throws {
        let channel = channel()
        let result = try terminal.read(merchants, over: channel)
        #expect(channel.sent.count == 4)
        #expect(Hex.encode(channel.sent[0]) == "00A404000A4F53452E5641532E303100")
        let last = try channel.sent.dropFirst().map { try capabilities($0)?.last }
        #expect(last == [0x81, 0x81, 0x01])
        let ids = try channel.sent.dropFirst().map { try TLV.read(CommandAPDU($0).data).first(0x9F25)?.bytes }
        #expect(ids == merchants.map(\.merchantID))
        #expect(result.entries.map(\.merchant) == merchants)
    }

    @Test("a bad status word does not end the tap")
    func goesOn() throws {
        let result = try terminal.read(merchants, over: channel())
        #expect(result.entries.map(\.status) == [.noPass, .success, .notActivated])
        #expect(result.entries.map { $0.cryptogram != nil } == [false, true, false])
        #expect(result.selection?.wallet == .applePay)
    }

    @Test("a torn tap keeps what was read, at each command", arguments: 0..<4)
    func torn(cut: Int) throws {
        let error = try #require(
            #expect(throws: VASError.self) { try terminal.read(merchants, over: channel(cutAt: cut)) })
        #expect(error.code == .interrupted)
        #expect(error.cause?.code == .cardGone)
        #expect((error.selection != nil) == (cut > 0))
        #expect(error.entries.count == max(0, cut - 1))
        #expect(error.entries.map(\.merchant) + error.unread == merchants)
        #expect(error.description == "the card left the field")
        if cut == 3 { #expect(error.entries[1].cryptogram == Self.cryptogram) }
    }

    @Test("an answer of fewer than two bytes is a lost card", arguments: [[], [0x90]] as [[UInt8]])
    func shortAnswer(answer: [UInt8]) throws {
        let error = #expect(throws: VASError.self) {
            try terminal.read(merchants, over: AnswerChannel([Sample.fci + [0x90, 0x00], answer]))
        }
        #expect(error?.cause?.code == .cardGone)
        #expect(error?.unread.count == 3)
    }

    @Test("whatever is not a wallet is a result", arguments: [0x6A82, 0x6A81, 0x6D00, 0x6E00, 0x6985] as [UInt16])
    func notAWallet(word: UInt16) throws {
        let status = StatusWord(rawValue: word)
        let channel = AnswerChannel([status.bytes])
        guard case .notAWallet(status) = try terminal.read(merchants, over: channel) else {
            Issue.record("expected notAWallet")
            return
        }
        #expect(channel.sent.count == 1)
    }

    @Test("another wallet is named and asked nothing")
    func otherWallet() throws {
        let channel = try AnswerChannel("6F0C500A416E64726F69645061799000")
        let result = try terminal.read(merchants, over: channel)
        guard case .otherWallet(let selection) = result else {
            Issue.record("expected otherWallet")
            return
        }
        #expect(selection.wallet == .androidPay)
        #expect(channel.sent.count == 1)
        #expect(result.entries.isEmpty)
    }

    @Test("payment only sends nothing; without merchants it only selects")
    func nothingToAsk() throws {
        let silent = AnswerChannel([])
        guard case .paymentOnly = try VASTerminal(mode: .paymentOnly).read(merchants, over: silent) else {
            Issue.record("expected paymentOnly")
            return
        }
        #expect(silent.sent.isEmpty)
        let channel = channel()
        let result = try terminal.read([], over: channel)
        #expect(channel.sent.count == 1)
        #expect(result.selection?.isApple == true)
    }

    @Test("a request that cannot be sent costs no tap")
    func invalid() throws {
        let channel = channel()
        let bad = VASMerchant(passTypeIdentifier: "pass.x", urlOnly: true)
        let error = #expect(throws: VASError.self) { try terminal.read(merchants + [bad], over: channel) }
        #expect(error?.code == .invalidRequest)
        #expect(channel.sent.isEmpty)
    }

    @Test(
        "full and URL-only requests mix in one tap; each mode stands in 9F26",
        arguments: [VASMode.vasOrPayment, .vasOnly])
    func mixed(mode: VASMode) throws {
        let url = VASMerchant(passTypeIdentifier: "pass.u", url: "https://example.com", urlOnly: true)
        let channel = AnswerChannel([Sample.fci + [0x90, 0x00], [0x6A, 0x83], [0x90, 0x00]])
        let result = try VASTerminal(mode: mode).read([merchants[0], url], over: channel)
        #expect(channel.sent[1][3] == 1)
        #expect(channel.sent[2][3] == 0)
        #expect(try capabilities(channel.sent[1]) == [0, 0x80, 0, 0x80 | mode.rawValue])
        #expect(try capabilities(channel.sent[2]) == [0, 0x80, 0, mode.rawValue])
        #expect(result.entries.map(\.status) == [.noPass, .success])
        #expect(result.entries[1].oddities.isEmpty)
    }

    @Test("the nonce is made for each command, and can be left out")
    func nonce() throws {
        let count = Mutex<UInt8>(0)
        let counting = VASTerminal(
            nonce: {
                count.withLock {
                    $0 += 1
                    return [0, 0, 0, $0]
                }
            })
        let nonces = try counting.commands(for: merchants).map { try TLV.read($0.data).first(0x9F28)?.bytes }
        #expect(nonces == [[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 3]])
        let none = try VASTerminal(nonce: nil).commands(for: merchants).map { try TLV.read($0.data).first(0x9F28) }
        #expect(none == [nil, nil, nil])
        let random = try VASTerminal().commands(for: merchants).map { try TLV.read($0.data).first(0x9F28)?.bytes }
        #expect(Set(random).count == 3)
    }
}
