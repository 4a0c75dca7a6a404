// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

/// A mistake that a reference issuer makes on purpose when it seals, by the name under which a report finds it.
public struct SealingFault: Hashable, Sendable {
    /// The name.
    public let id: String
    fileprivate let change: Change

    fileprivate enum Change: Hashable, Sendable {
        case derivation
        case iv([UInt8], prepended: Bool)
        case tagFirst
        case key(KeyForm)
        case wrap([BlobEncoding])
        case swapped
        case payload(String, String?)
        case activation([BlobEncoding])
    }

    fileprivate enum KeyForm: Hashable, Sendable {
        case spki
        case pem
        case compressed
        case noPrefix
        case swappedCoordinates
        case fixed
    }

    /// All that can be made.
    public static let all: [SealingFault] =
        EnvelopeVariants.derivations.compactMap(\.mistake?.id).reduce(into: []) { faults, id in
            // A short secret is a mistake with one key in 256 only.
            if id != "kdf-short-secret", !faults.contains(where: { $0.id == id }) {
                faults.append(SealingFault(id: id, change: .derivation))
            }
        } + envelope + contents

    private static let envelope = [
        SealingFault(id: "iv-16-bytes", change: .iv([UInt8](repeating: 0, count: 16), prepended: false)),
        SealingFault(id: "iv-prepended", change: .iv([UInt8](1...12), prepended: true)),
        SealingFault(id: "tag-first", change: .tagFirst),
        SealingFault(id: "key-spki-der", change: .key(.spki)),
        SealingFault(id: "key-pem", change: .key(.pem)),
        SealingFault(id: "key-compressed", change: .key(.compressed)),
        SealingFault(id: "key-no-prefix", change: .key(.noPrefix)),
        SealingFault(id: "key-swapped-coordinates", change: .key(.swappedCoordinates)),
        SealingFault(id: "still-base64", change: .wrap([.base64])),
        SealingFault(id: "base64-twice", change: .wrap([.base64, .base64])),
        SealingFault(id: "still-hex", change: .wrap([.hex])),
        SealingFault(id: "swapped", change: .swapped),
    ]

    private static let contents = [
        SealingFault(id: "key-reused", change: .key(.fixed)),
        SealingFault(id: "nonce-wrong", change: .payload("nonce", "00000000")),
        SealingFault(id: "nonce-base64", change: .payload("nonce", "AAAA+w==")),
        SealingFault(id: "nonce-signature-missing", change: .payload("nonceSignature", nil)),
        SealingFault(id: "name-missing", change: .payload("name", nil)),
        SealingFault(id: "expiration-no-slash", change: .payload("expiration", "1231")),
        SealingFault(id: "unknown-member", change: .payload("comment", "none")),
        SealingFault(id: "activation-base64", change: .activation([.base64])),
        SealingFault(id: "activation-missing", change: .activation([])),
    ]

    /// The fault with this name.
    public static func named(_ id: String) -> SealingFault? { all.first { $0.id == id } }

    /// Seals with this mistake.
    func seal(
        _ plain: SecretBytes, activation: [UInt8], to leaf: P256PublicKey
    ) throws(ProvisioningError) -> ProvisioningTrio {
        do {
            var bench = try FaultBench(plain, activation, leaf, reusing: change == .key(.fixed))
            bench.apply(self)
            return try bench.seal()
        } catch { throw ProvisioningError(internal: error) }
    }

    /// An envelope in the making.
    private struct FaultBench {
        var text: [UInt8]
        var activation: [UInt8]
        var inputs: EnvelopeVariants.Inputs
        var key: [UInt8]
        var iv = ECCv2.iv
        var (isPrepended, isTagFirst, isSwapped) = (false, false, false)
        var sentKey: [UInt8]
        var wraps: [BlobEncoding] = []

        init(
            _ plain: SecretBytes, _ activation: [UInt8], _ leaf: P256PublicKey, reusing: Bool
        ) throws(CryptoError) {
            let ephemeral = reusing ? try P256PrivateKey(scalar: Digest.sha256([1])) : try .generate()
            let secret = try ephemeral.sharedSecret(with: leaf)
            text = plain.withUnsafeBytes { Array($0) }
            self.activation = activation
            sentKey = ephemeral.publicKey.uncompressed
            inputs = EnvelopeVariants.Inputs(
                secret: secret.withUnsafeBytes { Array($0) }, ephemeral: ephemeral.publicKey, sent: sentKey, leaf: leaf)
            key = EnvelopeVariants.derivations.first { $0.mistake == nil }?.key(inputs) ?? []
        }

        mutating func apply(_ fault: SealingFault) {
            switch fault.change {
            case .derivation:
                key = EnvelopeVariants.derivations.first { $0.mistake?.id == fault.id }?.key(inputs) ?? key
            case .iv(let bytes, let prepended): (iv, isPrepended) = (bytes, prepended)
            case .tagFirst: isTagFirst = true
            case .swapped: isSwapped = true
            case .wrap(let encodings): wraps += encodings
            case .activation(let encodings): activation = encodings.isEmpty ? [] : Self.wrap(activation, encodings)
            case .payload(let name, let value): setMember(name, value)
            case .key(let form): sentKey = Self.key(inputs.ephemeral, form)
            }
        }

        private mutating func setMember(_ name: String, _ value: String?) {
            guard var members = (try? JSONValue(reading: text))?.members else { return }
            members.removeAll { $0.name == name }
            if let value { members.append(.init(name, .string(value))) }
            text = JSONValue.object(members).utf8
        }

        private static func key(_ key: P256PublicKey, _ form: KeyForm) -> [UInt8] {
            switch form {
            case .spki: key.subjectPublicKeyInfo(compressed: false)
            case .pem: Array(key.pem().utf8)
            case .compressed: key.compressed
            case .noPrefix: Array(key.uncompressed.dropFirst())
            case .swappedCoordinates: [0x04] + key.y + key.x
            case .fixed: key.uncompressed
            }
        }

        private static func wrap(_ bytes: [UInt8], _ encodings: [BlobEncoding]) -> [UInt8] {
            encodings.reduce(bytes) { Array($1.encode($0).utf8) }
        }

        func seal() throws(CryptoError) -> ProvisioningTrio {
            let sealed = try AESGCM.seal(text, key: SecretBytes(copying: key), iv: iv)
            var data = isTagFirst ? sealed.tag + sealed.ciphertext : sealed.ciphertext + sealed.tag
            if isPrepended { data = iv + data }
            let blobs = [data, activation, sentKey].map { Self.wrap($0, wraps) }
            return ProvisioningTrio(
                encryptedPassData: blobs[isSwapped ? 2 : 0], activationData: blobs[1],
                ephemeralPublicKey: blobs[isSwapped ? 0 : 2])
        }
    }
}
