// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import AppleVAS

@Suite("Sessions of the vectors", .enabled(if: Vectors.areThere, "COUNTERTOP_VECTORS is not set"))
struct VectorSessionTests {
    private let synthetic = "pass.example.synthetic.vas"
    private let passkit = "pass.com.passkit.pksamples.nfcdemo"

    private func session(_ id: String) throws -> (Vectors, [[AnswerChannel.Exchange]]) {
        let vectors = try Vectors.load()
        let sessions = vectors.vasApduTraces + vectors.synthetic.vasSessions
        return (vectors, try vectors.taps(of: #require(sessions.first { $0.id == id })))
    }

    private func terminal(_ mode: VASMode, nonce: [UInt8]? = [0, 0, 0, 0]) -> VASTerminal {
        guard let nonce else { return VASTerminal(mode: mode, nonce: nil) }
        return VASTerminal(mode: mode, nonce: { nonce })
    }

    /// Objects by tag, so that commands with another order compare equal.
    private func objects(_ command: [UInt8]) throws -> [TLVTag: [UInt8]] {
        let objects = try TLV.read(CommandAPDU(command).data)
        return Dictionary(objects.map { ($0.tag, $0.bytes) }, uniquingKeysWith: { first, _ in first })
    }

    @Test("T1, a real iPhone: same commands by content, one pass, decrypted")
    func realPhone() throws {
        let (vectors, taps) = try session("T1")
        let channel = AnswerChannel(taps[0].map(\.response))
        let merchant = VASMerchant(passTypeIdentifier: passkit, url: "https://apple.com", filter: [1, 0, 0, 0, 0])
        let result = try terminal(.vasOnly, nonce: nil).read([merchant], over: channel)
        #expect(channel.sent[0] == taps[0][0].command)
        #expect(try objects(channel.sent[1]) == objects(taps[0][1].command))
        #expect(channel.sent[1].count == taps[0][1].command.count)
        #expect(result.selection?.capabilities?.paymentReady == true)
        let cryptogram = try #require(result.entries.first?.cryptogram)
        let payload = try vectors.ring().decrypt(cryptogram, passTypeIdentifier: passkit).get()
        #expect(payload.messageText == vectors.vasDecrypt.first?.message)
    }

    @Test("C1 and C2: the commands of other readers, by content")
    func shapes() throws {
        let shapes = try Vectors.load().vasCommandShapes
        for shape in shapes {
            let command = try Hex.decode(shape.command)
            var expected = try objects(command)
            let hasURL = expected[0x9F29] != nil
            let merchant = VASMerchant(
                passTypeIdentifier: passkit, url: expected[0x9F29].map { String(decoding: $0, as: UTF8.self) },
                filter: expected[0x9F2B])
            let ours = try VASCommand(
                merchant, capabilities: VASTerminalCapabilities(mode: .vasOnly, terminalType: hasURL ? 0x80 : 0),
                nonce: expected[0x9F28]
            ).apdu()
            #expect(try objects(ours.bytes) == expected, "\(shape.id)")
            expected[0x9F26] = nil
            #expect(Array(ours.bytes.prefix(5)) == Array(command.prefix(5)), "\(shape.id)")
        }
    }

    @Test("SS1: two merchants, the first missing; our commands byte for byte but for its hash")
    func twoMerchants() throws {
        let (vectors, taps) = try session("SS1")
        let channel = AnswerChannel(taps[0].map(\.response))
        let merchants = ["pass.example.missing", synthetic].map { VASMerchant(passTypeIdentifier: $0) }
        let result = try terminal(.vasAndPayment).read(merchants, over: channel)
        #expect(channel.sent[0] == taps[0][0].command)
        #expect(channel.sent[1].dropLast(33) == taps[0][1].command.dropLast(33))
        #expect(channel.sent[2] == taps[0][2].command)
        #expect(result.entries.map(\.status) == [.noPass, .success])
        let cryptogram = try #require(result.entries[1].cryptogram)
        #expect(try vectors.ring().decrypt(cryptogram, passTypeIdentifier: synthetic).get().messageText == "hello")
    }

    @Test("SS2: locked, then authenticated at the next tap; byte for byte")
    func locked() throws {
        let (_, taps) = try session("SS2")
        #expect(taps.count == 2)
        var statuses: [VASStatus] = []
        for tap in taps {
            let channel = AnswerChannel(tap.map(\.response))
            let merchant = VASMerchant(passTypeIdentifier: synthetic)
            let result = try terminal(.vasOnly).read([merchant], over: channel)
            #expect(channel.sent == tap.map(\.command))
            statuses += result.entries.map(\.status)
        }
        #expect(statuses == [.notActivated, .success])
    }

    @Test("SS4: not a wallet")
    func notAWallet() throws {
        let (_, taps) = try session("SS4")
        let result = try terminal(.vasOnly).read([], over: AnswerChannel(taps[0].map(\.response)))
        guard case .notAWallet(0x6A82) = result else {
            Issue.record("expected notAWallet")
            return
        }
    }
}
