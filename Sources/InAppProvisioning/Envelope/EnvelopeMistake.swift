// SPDX-License-Identifier: Apache-2.0

import ISO7816
import WalletCrypto

/// A mistake in an envelope that is known from issuers' code, by a stable name.
public struct EnvelopeMistake: Hashable, Sendable, CustomStringConvertible {
    /// The name, stable over versions.
    public let id: String
    /// What the issuer did, in one sentence without a full stop.
    public let text: String

    /// The text.
    public var description: String { text }

    /// All that are looked for.
    public static let all =
        EnvelopeVariants.forms.compactMap(\.mistake).uniqued + EnvelopeVariants.keyForms.compactMap(\.mistake)
        + EnvelopeVariants.derivations.compactMap(\.mistake).uniqued
        + EnvelopeVariants.ciphers.compactMap(\.mistake) + [EnvelopeVariants.wrongCertificate]

    static func of(_ id: String, _ text: String) -> EnvelopeMistake { EnvelopeMistake(id: id, text: text) }
}

extension [EnvelopeMistake] {
    fileprivate var uniqued: [EnvelopeMistake] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

/// The ways to read an envelope: the right one, which has no mistake, and the wrong ones. Sources: the wrong variants
/// computed for the vector of drvpereira/applepay-crypto, and confusions reported on Apple's developer forums.
enum EnvelopeVariants {
    /// A way to take the three blobs; nil when it does not apply.
    struct Form: Sendable {
        var mistake: EnvelopeMistake?
        var apply: @Sendable (ProvisioningTrio) -> ProvisioningTrio?
    }

    /// A way to read the ephemeral key.
    struct KeyForm: Sendable {
        var mistake: EnvelopeMistake?
        var point: @Sendable ([UInt8]) -> [UInt8]?
    }

    /// What a key is derived from.
    struct Inputs {
        var secret: [UInt8]
        var ephemeral: P256PublicKey
        var sent: [UInt8]
        var leaf: P256PublicKey
    }

    /// A way to derive the key.
    struct Derivation: Sendable {
        var mistake: EnvelopeMistake?
        var key: @Sendable (Inputs) -> [UInt8]
    }

    /// A way to cut data into IV, ciphertext and tag.
    struct Cipher: Sendable {
        var mistake: EnvelopeMistake?
        var cut: @Sendable ([UInt8]) -> (iv: [UInt8], data: [UInt8])?
    }

    static let wrongCertificate = EnvelopeMistake.of(
        "wrong-certificate", "The envelope is sealed for the intermediate's key instead of the leaf's")

    // MARK: the three blobs

    static let forms: [Form] =
        [
            Form(mistake: nil) { $0 },
            Form(mistake: .of("still-base64", "The blobs are still Base64 text; decode them once")) {
                decoded($0, times: 1, base64)
            },
            Form(mistake: .of("base64-twice", "The blobs were Base64 encoded twice; encode them once")) {
                decoded($0, times: 2, base64)
            },
            Form(mistake: .of("still-hex", "The blobs are still hex text; decode them")) {
                decoded($0, times: 1, hex)
            },
            Form(mistake: .of("hex-in-base64", "The blobs are hex text inside Base64; encode the bytes themselves")) {
                decoded($0, times: 1, base64).flatMap { decoded($0, times: 1, hex) }
            },
        ]
        + [[1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]].map { order in
            Form(mistake: .of("swapped", "Two blobs stand in each other's place")) { permuted($0, order) }
        }

    private static func permuted(_ trio: ProvisioningTrio, _ order: [Int]) -> ProvisioningTrio? {
        let blobs = [trio.encryptedPassData, trio.activationData, trio.ephemeralPublicKey]
        let moved = order.compactMap { blobs.indices.contains($0) ? blobs[$0] : nil }
        guard moved.count == 3 else { return nil }
        return ProvisioningTrio(encryptedPassData: moved[0], activationData: moved[1], ephemeralPublicKey: moved[2])
    }

    /// The blobs after decoding those that are text; nil when neither the data nor the key are.
    private static func decoded(
        _ trio: ProvisioningTrio, times: Int, _ decode: ([UInt8]) -> [UInt8]?
    ) -> ProvisioningTrio? {
        var decodedTrio = trio
        for _ in 0..<times {
            let (data, key) = (decode(decodedTrio.encryptedPassData), decode(decodedTrio.ephemeralPublicKey))
            guard data != nil || key != nil else { return nil }
            decodedTrio.encryptedPassData = data ?? decodedTrio.encryptedPassData
            decodedTrio.ephemeralPublicKey = key ?? decodedTrio.ephemeralPublicKey
            decodedTrio.activationData = decode(decodedTrio.activationData) ?? decodedTrio.activationData
        }
        return decodedTrio
    }

    static func base64(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 8, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        return BlobEncoding.base64.decode(text) ?? BlobEncoding.base64url.decode(text)
    }

    static func hex(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 8, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return BlobEncoding.hex.decode(String(decoding: bytes, as: UTF8.self))
    }

    // MARK: the ephemeral key

    static let keyForms: [KeyForm] = [
        KeyForm(mistake: nil) { $0.count == ECCv2.pointCount ? $0 : nil },
        KeyForm(mistake: .of("key-spki-der", "The ephemeral key is SPKI DER; send the bare point of 65 bytes")) {
            (try? P256PublicKey(subjectPublicKeyInfo: $0))?.uncompressed
        },
        KeyForm(mistake: .of("key-pem", "The ephemeral key is PEM text; send the bare point of 65 bytes")) {
            (try? P256PublicKey(pem: String(decoding: $0, as: UTF8.self)))?.uncompressed
        },
        KeyForm(mistake: .of("key-compressed", "The ephemeral key is compressed; send 04, X and Y")) {
            $0.count == 33 ? (try? P256PublicKey(x963: $0))?.uncompressed : nil
        },
        KeyForm(mistake: .of("key-no-prefix", "The ephemeral key lacks its first byte 04")) {
            $0.count == 64 ? [0x04] + $0 : nil
        },
        KeyForm(mistake: .of("key-swapped-coordinates", "X and Y of the ephemeral key are swapped")) {
            $0.count == 65 && $0.first == 0x04 ? [0x04] + $0[33...] + $0[1..<33] : nil
        },
        KeyForm(mistake: .of("key-short-coordinate", "A coordinate lost its leading zero; pad both to 32 bytes")) {
            $0.count == 64 && $0.first == 0x04 ? padded($0) : nil
        },
    ]

    private static func padded(_ key: [UInt8]) -> [UInt8]? {
        [[0x04, 0x00] + key[1...], key[..<33] + [0x00] + key[33...]].first { (try? P256PublicKey(x963: $0)) != nil }
    }

    // MARK: the data

    static let ciphers: [Cipher] = [
        Cipher(mistake: nil) { (ECCv2.iv, $0) },
        Cipher(mistake: .of("iv-16-bytes", "The IV has 16 zero bytes, as in payment tokens; here it has 12")) {
            ([UInt8](repeating: 0, count: 16), $0)
        },
        Cipher(mistake: .of("iv-prepended", "A random IV stands before the ciphertext; the IV is 12 zero bytes")) {
            $0.count >= 28 ? (Array($0[..<12]), Array($0[12...])) : nil
        },
        Cipher(mistake: .of("tag-first", "The tag stands before the ciphertext; append it")) {
            (ECCv2.iv, Array($0.dropFirst(AESGCM.tagCount) + $0.prefix(AESGCM.tagCount)))
        },
    ]
}
