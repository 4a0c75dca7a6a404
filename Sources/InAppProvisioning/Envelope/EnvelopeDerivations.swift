// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

extension EnvelopeVariants {
    /// Ways to derive the key: the right one first, then what issuers do instead.
    static let derivations: [Derivation] = [
        Derivation(mistake: nil) { hashed(counter, $0.secret, ECCv2.otherInfo(partyV: $0.ephemeral.uncompressed)) },
        Derivation(mistake: .of("kdf-no-counter", "The key derivation lacks the counter 00000001")) {
            hashed([], $0.secret, ECCv2.otherInfo(partyV: $0.ephemeral.uncompressed))
        },
        Derivation(
            mistake: .of("kdf-no-algorithm-length", "The key derivation lacks the length 0D before id-aes256-GCM")
        ) {
            let info = ECCv2.algorithm + ECCv2.partyU + $0.ephemeral.uncompressed
            return hashed(counter, $0.secret, info)
        },
        partyV("partyv-leaf-key", "the leaf's key") { $0.leaf.uncompressed },
        partyV("partyv-spki", "the ephemeral key as SPKI DER") { spki($0.ephemeral) },
        partyV("partyv-sha256", "a SHA-256 digest, as in payment tokens") { Digest.sha256(spki($0.ephemeral)) },
        partyV("partyv-sha256", "a SHA-256 digest, as in payment tokens") {
            Digest.sha256($0.ephemeral.uncompressed)
        },
        partyV("partyv-missing", "missing") { _ in [] },
        partyV("partyv-leaf-spki", "the leaf's key as SPKI DER") { spki($0.leaf) },
        partyV("partyv-leaf-sha256", "a digest of the leaf's key") { Digest.sha256(spki($0.leaf)) },
        partyV("partyv-leaf-sha256", "a digest of the leaf's key") { Digest.sha256($0.leaf.uncompressed) },
        partyV("partyv-compressed", "the compressed ephemeral key") { $0.ephemeral.compressed },
        partyV("partyv-x-only", "the X coordinate alone") { $0.ephemeral.x },
        Derivation(mistake: .of("kdf-x963", "The key derivation is that of ANSI X9.63, with the counter after Z")) {
            hashed($0.secret, counter, ECCv2.otherInfo(partyV: $0.ephemeral.uncompressed))
        },
        Derivation(mistake: .of("kdf-counter-zero", "The key derivation counts from 0 instead of 1")) {
            hashed([0, 0, 0, 0], $0.secret, ECCv2.otherInfo(partyV: $0.ephemeral.uncompressed))
        },
        Derivation(
            mistake: .of("kdf-lengths", "The key derivation has lengths of four bytes before its fields, as in JWE")
        ) {
            hashed(counter, $0.secret, [ECCv2.algorithm, ECCv2.partyU, $0.ephemeral.uncompressed].flatMap(measured))
        },
        Derivation(
            mistake: .of("kdf-short-secret", "Z lost its leading zero bytes; it always has 32")
        ) {
            hashed(
                counter, Array($0.secret.drop { $0 == 0 }), ECCv2.otherInfo(partyV: $0.ephemeral.uncompressed))
        },
        Derivation(mistake: .of("kdf-missing", "The ECDH secret itself is used as key")) { $0.secret },
        Derivation(mistake: .of("kdf-hash-only", "The key is the SHA-256 of the ECDH secret alone")) {
            Digest.sha256($0.secret)
        },
    ]

    /// The counter of the first block (NIST SP 800-56A, 5.8.1).
    private static let counter: [UInt8] = [0, 0, 0, 1]

    private static func hashed(_ first: [UInt8], _ second: [UInt8], _ third: [UInt8]) -> [UInt8] {
        Digest.sha256(first + second + third)
    }

    private static func partyV(
        _ id: String, _ what: String, _ bytes: @escaping @Sendable (Inputs) -> [UInt8]
    ) -> Derivation {
        Derivation(mistake: .of(id, "PartyV is \(what); it is the ephemeral key of 65 bytes")) {
            hashed(counter, $0.secret, ECCv2.otherInfo(partyV: bytes($0)))
        }
    }

    private static func spki(_ key: P256PublicKey) -> [UInt8] { key.subjectPublicKeyInfo(compressed: false) }

    private static func measured(_ field: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(truncatingIfNeeded: field.count)] + field
    }
}
