// SPDX-License-Identifier: Apache-2.0

/// What an AlgorithmIdentifier says about a key.
enum KeyAlgorithm {
    /// Passes for id-ecPublicKey with secp256r1 (RFC 5480, 2.1.1); else says what the key is instead.
    static func requireP256(_ identifier: ArraySlice<UInt8>) throws(CryptoError) {
        var reader = DERReader(identifier)
        guard let algorithm = reader.read(DERTag.objectIdentifier) else {
            throw CryptoError(.invalidKey, "The algorithm of this key cannot be read")
        }
        guard Array(algorithm) == OID.ecPublicKey else {
            throw wrongKind(OID.names[Array(algorithm)] ?? "unknown algorithm")
        }
        try requireCurve(reader)
    }

    /// Passes when `parameters` (ECParameters) name secp256r1.
    static func requireCurve(_ parameters: DERReader) throws(CryptoError) {
        var reader = parameters
        if reader.nextTag == DERTag.sequence {
            throw CryptoError(
                .invalidKey, "The curve of this key is spelled out instead of named",
                hint: "convert it: openssl ec -param_enc named_curve")
        }
        guard let curve = reader.read(DERTag.objectIdentifier), reader.isAtEnd else {
            throw CryptoError(.invalidKey, "The curve of this key cannot be read")
        }
        guard Array(curve) == OID.p256 else { throw wrongKind(OID.names[Array(curve)] ?? "unknown curve") }
    }

    static func wrongKind(_ kind: String) -> CryptoError {
        CryptoError(
            .invalidKey, "This is not a P-256 key but another kind: \(kind)",
            hint: "Wallet passes use P-256 (prime256v1, secp256r1)")
    }
}
