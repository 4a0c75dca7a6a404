// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import InAppProvisioning

/// Every known mistake, made by a sealer of its own, is named by its own name and by no other.
@Suite struct MistakeTests {
    /// An envelope made step by step, so that each step can go wrong.
    private struct Sealer {
        let leaf: P256PrivateKey
        let ephemeral: P256PrivateKey
        var secret: [UInt8]
        var prefix: [UInt8] = [0, 0, 0, 1]
        var algorithm = [13] + Array("id-aes256-GCM".utf8)
        var partyU = Array("Apple".utf8)
        var partyV: [UInt8]
        var key: [UInt8]?
        var iv = [UInt8](repeating: 0, count: 12)
        var sentKey: [UInt8]
        var activation = Array("MBPAC-1-FK-1.1--TDEA-0011223344556677".utf8)
        var arrange: (_ ciphertext: [UInt8], _ tag: [UInt8]) -> [UInt8] = { $0 + $1 }
        var wrap: ([UInt8]) -> [UInt8] = { $0 }
        var order: (ProvisioningTrio) -> ProvisioningTrio = { $0 }

        init(leaf: P256PrivateKey, recipient: P256PublicKey, ephemeral: P256PrivateKey) throws {
            (self.leaf, self.ephemeral) = (leaf, ephemeral)
            secret = try ephemeral.sharedSecret(with: recipient).bytes
            (partyV, sentKey) = (ephemeral.publicKey.uncompressed, ephemeral.publicKey.uncompressed)
        }

        func seal(_ text: [UInt8]) throws -> ProvisioningTrio {
            let derived = key ?? Digest.sha256(prefix + secret + algorithm + partyU + partyV)
            let sealed = try AESGCM.seal(text, key: SecretBytes(copying: derived), iv: iv)
            let trio = ProvisioningTrio(
                encryptedPassData: wrap(arrange(sealed.ciphertext, sealed.tag)), activationData: wrap(activation),
                ephemeralPublicKey: wrap(sentKey))
            return order(trio)
        }
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] { Array(Data(bytes).base64EncodedString().utf8) }
    private static func hex(_ bytes: [UInt8]) -> [UInt8] { Array(Hex.encode(bytes).lowercased().utf8) }
    private static func spki(_ key: P256PublicKey) -> [UInt8] { key.subjectPublicKeyInfo(compressed: false) }

    /// How each mistake is made.
    private static let makers: [String: @Sendable (inout Sealer) -> Void] = [
        "still-base64": { $0.wrap = base64 },
        "base64-twice": { $0.wrap = { base64(base64($0)) } },
        "still-hex": { $0.wrap = hex },
        "hex-in-base64": { $0.wrap = { base64(hex($0)) } },
        "swapped": { sealer in
            sealer.order = { trio in
                ProvisioningTrio(
                    encryptedPassData: trio.ephemeralPublicKey, activationData: trio.activationData,
                    ephemeralPublicKey: trio.encryptedPassData)
            }
        },
        "key-spki-der": { $0.sentKey = spki($0.ephemeral.publicKey) },
        "key-pem": { $0.sentKey = Array($0.ephemeral.publicKey.pem().utf8) },
        "key-compressed": { $0.sentKey = $0.ephemeral.publicKey.compressed },
        "key-no-prefix": { $0.sentKey.removeFirst() },
        "key-swapped-coordinates": { $0.sentKey = [4] + $0.ephemeral.publicKey.y + $0.ephemeral.publicKey.x },
        "key-short-coordinate": { $0.sentKey.remove(at: 1) },
        "kdf-no-counter": { $0.prefix = [] },
        "kdf-no-algorithm-length": { $0.algorithm.removeFirst() },
        "partyv-leaf-key": { $0.partyV = $0.leaf.publicKey.uncompressed },
        "partyv-spki": { $0.partyV = spki($0.ephemeral.publicKey) },
        "partyv-sha256": { $0.partyV = Digest.sha256(spki($0.ephemeral.publicKey)) },
        "partyv-missing": { $0.partyV = [] },
        "partyv-leaf-spki": { $0.partyV = spki($0.leaf.publicKey) },
        "partyv-leaf-sha256": { $0.partyV = Digest.sha256(spki($0.leaf.publicKey)) },
        "partyv-compressed": { $0.partyV = $0.ephemeral.publicKey.compressed },
        "partyv-x-only": { $0.partyV = $0.ephemeral.publicKey.x },
        "kdf-x963": {
            $0.key = Digest.sha256($0.secret + [0, 0, 0, 1] + $0.algorithm + $0.partyU + $0.partyV)
        },
        "kdf-counter-zero": { $0.prefix = [0, 0, 0, 0] },
        "kdf-lengths": {
            $0.algorithm = [0, 0, 0] + $0.algorithm
            $0.partyU = [0, 0, 0, 5] + $0.partyU
            $0.partyV = [0, 0, 0, 65] + $0.partyV
        },
        "kdf-short-secret": { $0.secret = Array($0.secret.drop { $0 == 0 }) },
        "kdf-missing": { $0.key = $0.secret },
        "kdf-hash-only": { $0.key = Digest.sha256($0.secret) },
        "iv-16-bytes": { $0.iv = [UInt8](repeating: 0, count: 16) },
        "iv-prepended": { sealer in
            sealer.iv = [UInt8](1...12)
            sealer.arrange = { [UInt8](1...12) + $0 + $1 }
        },
        "tag-first": { $0.arrange = { $1 + $0 } },
        "wrong-certificate": { _ in },
    ]

    /// An ephemeral key: with a short X or a short secret where the mistake needs one.
    private func ephemeral(_ id: String, _ leaf: P256PublicKey) throws -> P256PrivateKey {
        for number in 1...20_000 {
            let key = try P256PrivateKey(scalar: Digest.sha256("mistake \(number)".utf8))
            switch id {
            case "key-short-coordinate" where key.publicKey.x[0] != 0: continue
            case "kdf-short-secret" where try key.sharedSecret(with: leaf).bytes[0] != 0: continue
            case "still-hex" where key.publicKey.x[0] == 0: continue
            default: return key
            }
        }
        throw ProvisioningError(.internalFailure, "no such key was found")
    }

    @Test(arguments: EnvelopeMistake.all) func `each mistake is named`(mistake: EnvelopeMistake) throws {
        let identity = try Fixture.authority().makeIdentity(at: Fixture.date)
        let ephemeral = try ephemeral(mistake.id, identity.leafKey.publicKey)
        let recipient =
            mistake.id == "wrong-certificate"
            ? try #require(identity.intermediateKey).publicKey : identity.leafKey.publicKey
        var sealer = try Sealer(leaf: identity.leafKey, recipient: recipient, ephemeral: ephemeral)
        let make = try #require(Self.makers[mistake.id])
        make(&sealer)
        let text = Array("{\"primaryAccountNumber\":\"\(Fixture.panText)\"}".utf8)
        let opening = EnvelopeDiagnosis.open(try sealer.seal(text), for: identity)
        #expect(opening.diagnosis == mistake.id)
        #expect(opening.plaintext?.bytes == text)
        #expect(!mistake.text.isEmpty && "\(mistake)" == mistake.text)
    }

    @Test func `two mistakes at once are named together`() throws {
        let identity = try Fixture.identity()
        var sealer = try Sealer(
            leaf: identity.leafKey, recipient: identity.leafKey.publicKey, ephemeral: try .generate())
        sealer.iv = [UInt8](repeating: 0, count: 16)
        sealer.sentKey = Self.spki(sealer.ephemeral.publicKey)
        sealer.wrap = Self.base64
        let opening = EnvelopeDiagnosis.open(try sealer.seal([1, 2, 3]), for: identity)
        #expect(opening.diagnosis == "still-base64+key-spki-der+iv-16-bytes")
    }

    @Test func `a sound envelope has no diagnosis, rubbish is closed`() throws {
        let identity = try Fixture.identity()
        let sound = EnvelopeDiagnosis.open(try Fixture.trio(identity.makeRequest(), identity), for: identity)
        #expect(sound.diagnosis == nil && sound.plaintext != nil)
        var trio = try Fixture.trio(identity.makeRequest(), identity)
        trio.encryptedPassData[0] ^= 1
        let broken = EnvelopeDiagnosis.open(trio, for: identity)
        #expect(broken.diagnosis == nil && broken.plaintext == nil)
    }

    @Test func `names are unique, and the ones that scripts know are there`() {
        let ids = EnvelopeMistake.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        let fixed = [
            "iv-16-bytes", "kdf-no-counter", "kdf-no-algorithm-length", "partyv-leaf-key", "partyv-spki",
            "partyv-sha256", "partyv-missing", "key-spki-der", "still-base64", "still-hex",
        ]
        #expect(Set(fixed).isSubset(of: ids))
    }
}
