// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import WalletCrypto

@testable import AppleVAS

/// Answers from a list, whatever is sent; fails at an index when told to, or when the list is used up.
final class AnswerChannel: CardChannel {
    typealias Exchange = (command: [UInt8], response: [UInt8])

    private(set) var sent: [[UInt8]] = []
    private let answers: [[UInt8]]
    private let cut: Int?

    init(_ answers: [[UInt8]], cutAt cut: Int? = nil) { (self.answers, self.cut) = (answers, cut) }

    convenience init(_ hex: String..., cutAt cut: Int? = nil) throws {
        self.init(try hex.map { try Hex.decode($0) }, cutAt: cut)
    }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard sent.count != cut, sent.count < answers.count else {
            throw CardChannelError(.cardGone, reason: "the card left the field")
        }
        sent.append(command)
        return answers[sent.count - 1]
    }
}

/// Answers and passes that are ours, not captures.
enum Sample {
    static let passType = "pass.com.example.club"
    static let other = "pass.com.example.coffee"
    static let fci: [UInt8] = applePayFCI(capabilities: [0, 0, 0, 0x1E])

    static func applePayFCI(capabilities: [UInt8]) -> [UInt8] {
        TLVBuilder.build { builder in
            builder.append(0x6F) {
                $0.append(0x50, Array("ApplePay".utf8))
                $0.append(0x9F21, [1, 0])
                $0.append(0x9F24, [1, 2, 3, 4])
                $0.append(0x9F23, capabilities)
            }
        }
    }

    static func answer(_ cryptogram: [UInt8], token: [UInt8] = []) -> [UInt8] {
        TLVBuilder.build { builder in
            builder.append(0x70) {
                $0.append(0x9F2A, token)
                $0.append(0x9F27, cryptogram)
            }
        } + [0x90, 0x00]
    }

    static func entry(_ data: [UInt8], status: StatusWord = .success, urlOnly: Bool = false) -> VASEntry {
        let merchant = VASMerchant(passTypeIdentifier: passType, url: "https://example.com", urlOnly: urlOnly)
        return VASEntry(merchant: merchant, response: ResponseAPDU(data: data, status: status))
    }

    /// A private key whose scalar is a small number.
    static func key(_ number: UInt8) throws -> P256PrivateKey {
        try P256PrivateKey(scalar: [UInt8](repeating: 0, count: 31) + [number])
    }

    /// Seals as a phone does, written apart from the code under test.
    static func seal(
        _ message: [UInt8], for passType: String = passType, to key: P256PublicKey, seconds: UInt32 = 800_000_000,
        method: Int = 1, ephemeral: P256PrivateKey? = nil
    ) throws -> [UInt8] {
        let ephemeral = try ephemeral ?? P256PrivateKey.generate()
        let hash = Digest.sha256(Array(passType.utf8))
        let label = Array("ApplePay encrypted VAS data".utf8)
        let info = method == 1 ? [13] + Array("id-aes256-GCM".utf8) + label + hash : label
        let secret = try ephemeral.sharedSecret(with: key)
        let aesKey = try X963KDF.sha256(sharedSecret: secret, sharedInfo: info, count: 32)
        let time = (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (24 - 8 * UInt32($0))) }
        let (ciphertext, tag) = try AESGCM.seal(
            time + message, key: aesKey, iv: [UInt8](repeating: 0, count: 16), aad: method == 1 ? [] : hash)
        return VASKey.id(of: key).bytes + ephemeral.publicKey.x + ciphertext + tag
    }
}
