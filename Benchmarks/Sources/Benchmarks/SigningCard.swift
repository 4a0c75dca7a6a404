// SPDX-License-Identifier: Apache-2.0

import BERTLV
import EMVContactless
import ISO7816
import WalletCrypto

/// A card with real keys (1408, 1408, 1024 bits, exponent 3) that answers one read, to be recorded.
final class SigningCard: CardChannel {
    let aid: [UInt8]
    private let pan = "5413330089600044"
    private let authority: RSAPrivateKey
    private let issuer: RSAPrivateKey
    private let card: RSAPrivateKey
    private var pdolValues: [UInt8] = []
    private(set) var responses: [[UInt8]] = []

    init(aid: String) throws {
        self.aid = try Hex.decode(aid)
        authority = try RSAPrivateKey.generate(bits: 1408)
        issuer = try RSAPrivateKey.generate(bits: 1408)
        card = try RSAPrivateKey.generate(bits: 1024)
    }

    /// The authority's key as a reader loads it.
    func authorities() throws -> AuthorityKeys {
        let rid = Array(aid.prefix(5))
        let sum = Digest.sha1(rid + [0xF0] + authority.modulus + [3])
        return AuthorityKeys([
            try AuthorityKey(rid: rid, index: 0xF0, modulus: authority.modulus, exponent: [3], checkSum: sum)
        ])
    }

    /// Modulus and signature of each RSA operation of a read, for the baseline.
    func operations() throws -> [(modulus: [UInt8], signature: [UInt8])] {
        [
            (authority.modulus, try issuerCertificate()), (issuer.modulus, try cardCertificate()),
            (card.modulus, try sign([0x05, 0x01], also: [], with: card)),
        ]
    }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        do {
            responses.append(try answer(command) + [0x90, 0x00])
        } catch { throw CardChannelError(.cardGone, reason: "\(error)") }
        return responses[responses.count - 1]
    }

    private func answer(_ command: [UInt8]) throws -> [UInt8] {
        switch command[1] {
        case 0xA4: select(Array(command[5..<(5 + Int(command[4]))]))
        case 0xA8: processingOptions(Array(command[7..<(command.count - 1)]))
        case 0xB2: try record(command[2])
        default: try cryptogram(Array(command[5..<(command.count - 1)]))
        }
    }

    private var isVisa: Bool { aid[4] == 0x03 }

    private func select(_ name: [UInt8]) -> [UInt8] {
        TLVBuilder.build { builder in
            builder.append(0x6F) { fci in
                fci.append(0x84, name)
                fci.append(0xA5) { proprietary in
                    guard name == AID.proximityPaymentSystem.bytes else {
                        proprietary.append(0x50, Array("TEST CARD".utf8))
                        return proprietary.append(0x9F38, hex("9F66049F02069F37045F2A02"))
                    }
                    proprietary.append(0xBF0C) { $0.append(0x61) { $0.append(0x4F, aid) } }
                }
            }
        }
    }

    private func processingOptions(_ values: [UInt8]) -> [UInt8] {
        pdolValues = values
        let inline: [(TLVTag, String)] = [
            (0x82, "2000"), (0x57, pan + "D3012201000000000F"), (0x5F34, "00"), (0x9F10, "06011203A0B800"),
            (0x9F26, "0102030405060708"), (0x9F27, "80"), (0x9F36, "0007"), (0x9F6C, "0000"), (0x9F6E, "20700000"),
        ]
        return template(0x77, isVisa ? inline : [(0x82, "1180"), (0x94, "0801020110010100")])
    }

    private var signedRecord: [(TLVTag, String)] {
        [
            (0x57, pan + "D3012201000000000F"), (0x5A, pan), (0x5F24, "301231"), (0x5F25, "200101"), (0x5F28, "0276"),
            (0x5F34, "00"), (0x8C, "9F02069F03069F1A0295055F2A029A039C019F37049F3403"),
            (0x8D, "8A029F37049505"), (0x8E, "000000000000000042031E031F03"), (0x9F07, "FFC0"),
            (0x9F0D, "0000000000"), (0x9F0E, "0000000000"), (0x9F0F, "0000000000"), (0x9F4A, "82"),
        ]
    }

    private func record(_ number: UInt8) throws -> [UInt8] {
        guard number == 2 else { return template(0x70, signedRecord) }
        return template(
            0x70,
            [
                (0x8F, "F0"), (0x90, Hex.encode(try issuerCertificate())),
                (0x92, Hex.encode(issuer.modulus.suffix(36))), (0x9F32, "03"),
                (0x9F46, Hex.encode(try cardCertificate())), (0x9F47, "03"),
            ])
    }

    private func issuerCertificate() throws -> [UInt8] {
        let head = hex("02" + pan.prefix(8) + "1230" + "000001" + "0101") + [UInt8(issuer.modulus.count), 1]
        return try sign(
            head + issuer.modulus.prefix(140), also: issuer.modulus.suffix(36) + [3], with: authority)
    }

    private func cardCertificate() throws -> [UInt8] {
        let staticData = Array(template(0x70, signedRecord).dropFirst(3)) + hex("1180")
        let head = hex("04" + pan + "FFFF" + "1230" + "000002" + "0101") + [UInt8(card.modulus.count), 1]
        return try sign(head + card.modulus, also: [3] + staticData, with: issuer)
    }

    private func cryptogram(_ values: [UInt8]) throws -> [UInt8] {
        let plain = contents([(0x9F27, "80"), (0x9F36, "0007"), (0x9F10, "0110A0000122000000000000000000000000FF")])
        let hash = Digest.sha1(pdolValues + values + plain)
        let dynamic = hex("020007" + "80" + "1122334455667788") + hash
        let signature = try sign([0x05, 0x01, UInt8(dynamic.count)] + dynamic, also: values[25..<29], with: card)
        return TLVBuilder.build { $0.append(0x77, plain + contents([(0x9F4B, Hex.encode(signature))])) }
    }

    /// Header, content, padding, hash, trailer (EMV Book 2, A2.1).
    private func sign(
        _ content: [UInt8], also: some Collection<UInt8>, with key: RSAPrivateKey
    ) throws -> [UInt8] {
        let padding = [UInt8](repeating: 0xBB, count: key.modulus.count - 22 - content.count)
        let padded = content + padding
        return try key.sign(rawBlock: [0x6A] + padded + Digest.sha1(padded + also) + [0xBC])
    }

    private func contents(_ objects: [(TLVTag, String)]) -> [UInt8] {
        TLVBuilder.build { builder in for (tag, value) in objects { builder.append(tag, hex(value)) } }
    }

    private func template(_ tag: TLVTag, _ objects: [(TLVTag, String)]) -> [UInt8] {
        TLVBuilder.build { $0.append(tag, contents(objects)) }
    }
}

private func hex(_ text: String) -> [UInt8] { (try? Hex.decode(text)) ?? [] }

/// Gives recorded answers in their order: as little work as a card can be.
final class RecordedCard: CardChannel {
    private let responses: [[UInt8]]
    private var next = 0

    init(_ responses: [[UInt8]]) { self.responses = responses }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        defer { next += 1 }
        return responses[next]
    }
}
