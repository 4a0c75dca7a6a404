// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import WalletCrypto

@testable import EMVContactless

/// Certificates and signatures that need no private key: with exponent 1 a signature is its own content.
enum Mint {
    static let exponent: [UInt8] = [1]
    static let authority = modulus(128)
    static let issuer = modulus(96)
    static let card = modulus(80)

    private static func modulus(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xFF, count: count) }

    static func authorities(for rid: [UInt8]) throws -> AuthorityKeys {
        let sum = Digest.sha1(rid + [0xF0] + authority + exponent)
        return AuthorityKeys([
            try AuthorityKey(rid: rid, index: 0xF0, modulus: authority, exponent: exponent, checkSum: sum)
        ])
    }

    static func issuerCertificate(pan: String, expiry: String = "1230") -> [UInt8] {
        let head = hex(String(pan.prefix(8)) + expiry + "000001" + "0101") + [96, 1]
        return sign([0x02] + head + issuer.prefix(128 - 36), also: issuer.suffix(4) + exponent, count: 128)
    }

    static func cardCertificate(pan: String, staticData: [UInt8], expiry: String = "1230") -> [UInt8] {
        let head = hex(pan + String(repeating: "F", count: 20 - pan.count) + expiry + "000002" + "0101") + [80, 1]
        return sign(
            [0x04] + head + card.prefix(96 - 42), also: card.suffix(80 - 54) + exponent + staticData, count: 96)
    }

    static func staticSignature(_ staticData: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [0x03, 0x01, 0xDA, 0xC0]
        return sign(head + [UInt8](repeating: 0xBB, count: 96 - 22 - head.count), also: staticData, count: 96)
    }

    static func dynamicSignature(_ dynamicData: [UInt8], also: [UInt8]) -> [UInt8] {
        let head = [0x05, 0x01, UInt8(dynamicData.count)] + dynamicData
        return sign(head + [UInt8](repeating: 0xBB, count: 80 - 22 - head.count), also: also, count: 80)
    }

    private static func sign(_ content: [UInt8], also: some Collection<UInt8>, count: Int) -> [UInt8] {
        [0x6A] + content + Digest.sha1(content + also) + [0xBC]
    }
}

/// A card made by us: signs what it is asked, and can be told to misbehave.
final class MintedCard: CardChannel {
    enum Signature { case none, fast(version: UInt8), combined }

    var aid = hex("A0000000031010")
    var kernelIdentifier: [UInt8]?
    var pdol = "9F66049F02069F37045F2A02"
    var cdol = "9F02069F03069F1A0295055F2A029A039C019F37049F3403"
    var pan = "4761739001010119"
    var profile = "2000"
    var cid: UInt8 = 0x80
    var signature = Signature.none
    /// Objects beside the usual ones: in the GPO answer, in the records.
    var options: [TLVTag: [UInt8]] = [:]
    var recordObjects: [TLVTag: [UInt8]] = [:]
    /// Objects that the card leaves out.
    var omitted: Set<TLVTag> = []
    /// Status words instead of answers, by instruction.
    var statuses: [UInt8: StatusWord] = [:]
    /// Changes one kind of answer before it is sent.
    var tamper: (instruction: UInt8, change: ([UInt8]) -> [UInt8])?
    var certificateExpiry = "1230"
    private(set) var sent: [[UInt8]] = []
    private var pdolValues: [UInt8] = []

    private var isGenerateAC: Bool {
        if case .combined = signature { true } else { aid[4] != 0x03 && aid[4] != 0x33 && aid[3] != 0x01 }
    }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        sent.append(command)
        guard command.count >= 5 else { return [0x67, 0x00] }
        if let status = statuses[command[1]], command[1] != 0xA4 || command[5] == aid[0] { return status.bytes }
        let answer = answer(command)
        let changed = tamper.map { $0.instruction == command[1] ? $0.change(answer) : answer } ?? answer
        return changed + [0x90, 0x00]
    }

    private func answer(_ command: [UInt8]) -> [UInt8] {
        switch command[1] {
        case 0xA4: return select(Array(command[5..<(5 + Int(command[4]))]))
        case 0xA8: return processingOptions(Array(command[7..<(command.count - 1)]))
        case 0xB2: return record(command[2])
        case 0xAE: return cryptogram(Array(command[5..<(command.count - 1)]))
        case 0x2A: return template(0x77, [0x9F61: [1, 2], 0x9F36: [0, 1]])
        default: return []
        }
    }

    private func select(_ name: [UInt8]) -> [UInt8] {
        TLVBuilder.build { builder in
            builder.append(0x6F) { fci in
                fci.append(0x84, name)
                fci.append(0xA5) { proprietary in
                    guard name == AID.proximityPaymentSystem.bytes else {
                        return pdol.isEmpty ? () : proprietary.append(0x9F38, hex(pdol))
                    }
                    proprietary.append(0xBF0C) { directory in
                        directory.append(0x61) { entry in
                            entry.append(0x4F, aid)
                            kernelIdentifier.map { entry.append(0x9F2A, $0) }
                        }
                    }
                }
            }
        }
    }

    private func processingOptions(_ values: [UInt8]) -> [UInt8] {
        pdolValues = values
        var objects: [TLVTag: [UInt8]] = [0x82: hex(profile), 0x94: hex("0801020110010100")]
        if !isGenerateAC {
            objects[0x9F26] = hex("0102030405060708")
            objects[0x9F36] = hex("0007")
            objects[0x9F27] = [cid]
            objects[0x9F10] = hex("06011203A0B800")
            objects[0x57] = hex(pan + "D3012201000000000F")
        }
        objects.merge(options) { _, new in new }
        if case .fast(let version) = signature {
            let related = version == 0 ? [] : [version, 1, 2, 3, 4] + (objects[0x9F6C] ?? [0, 0])
            if version != 0 { objects[0x9F69] = related }
            let list = (try? DataObjectList(hex(pdol)))?.entries ?? []
            var position = 0
            var asked: [TLVTag: [UInt8]] = [:]
            for entry in list {
                asked[entry.tag] = Array(values.dropFirst(position).prefix(entry.length))
                position += entry.length
            }
            let number = asked[0x9F37] ?? []
            let more = version == 0 ? [] : (asked[0x9F02] ?? []) + (asked[0x5F2A] ?? []) + related
            objects[0x9F4B] = Mint.dynamicSignature(hex("020007"), also: number + more)
        }
        return template(0x77, objects)
    }

    /// Record 1 is signed; record 2 holds what depends on it; the other file more of it.
    private func record(_ number: UInt8) -> [UInt8] {
        number == 1 ? TLVBuilder.build { $0.append(0x70, signedRecord) } : template(0x70, certificates)
    }

    private var signedRecord: [UInt8] {
        var objects: [TLVTag: [UInt8]] = [
            0x5A: hex(pan), 0x5F24: hex("301231"), 0x5F25: hex("200101"), 0x9F4A: [0x82], 0x9F07: hex("FFC0"),
            0x5F28: hex("0276"),
        ]
        if isGenerateAC {
            objects[0x8C] = hex(cdol)
            objects[0x57] = hex(pan + "D3012201000000000F")
            objects[0x8E] = hex("000000000000000042031E031F03")
        }
        objects.merge(recordObjects) { _, new in new }
        return contents(objects)
    }

    private var certificates: [TLVTag: [UInt8]] {
        let staticData = signedRecord + hex(profile)
        return [
            0x8F: [0xF0], 0x90: Mint.issuerCertificate(pan: pan, expiry: certificateExpiry),
            0x92: Array(Mint.issuer.suffix(4)), 0x9F32: [1],
            0x9F46: Mint.cardCertificate(pan: pan, staticData: staticData), 0x9F47: [1],
            0x9F48: Array(Mint.card.suffix(26)), 0x93: Mint.staticSignature(staticData),
        ]
    }

    private func cryptogram(_ values: [UInt8]) -> [UInt8] {
        let plain: [TLVTag: [UInt8]] = [0x9F27: [cid], 0x9F36: hex("0007"), 0x9F10: hex("0110A0")]
        guard case .combined = signature, (sent.last?[2] ?? 0) & 0x10 != 0 else {
            return template(0x77, plain.merging([0x9F26: hex("1122334455667788")]) { old, _ in old })
        }
        let hash = Digest.sha1(pdolValues + values + contents(plain))
        let number = sent.last.map { Array($0[30..<34]) } ?? []
        let data = hex("020007") + [cid] + hex("1122334455667788") + hash
        let objects =
            contents(plain) + TLVBuilder.build { $0.append(0x9F4B, Mint.dynamicSignature(data, also: number)) }
        return TLVBuilder.build { $0.append(0x77, objects) }
    }

    private func contents(_ objects: [TLVTag: [UInt8]]) -> [UInt8] {
        TLVBuilder.build { builder in
            for (tag, value) in objects.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where !omitted.contains(tag) {
                builder.append(tag, value)
            }
        }
    }

    private func template(_ tag: TLVTag, _ objects: [TLVTag: [UInt8]]) -> [UInt8] {
        TLVBuilder.build { $0.append(tag, contents(objects)) }
    }
}
