// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// A P-256 key as OpenSSL's EVP_PKEY, for signatures and certificates. Made per use, never shared.
final class EVPKey {
    let pointer: OpaquePointer

    init(_ key: P256PrivateKey) throws(CryptoError) {
        pointer = try Self.make(key.publicKey, scalar: key.scalar, selection: countertop_selection_keypair())
        // A secret number in the parameters lies in memory that OpenSSL clears when they are freed.
    }

    init(_ key: P256PublicKey) throws(CryptoError) {
        pointer = try Self.make(key, scalar: nil, selection: countertop_selection_public())
    }

    deinit { EVP_PKEY_free(pointer) }

    private static func make(
        _ key: P256PublicKey, scalar: P256Curve.Scalar?, selection: Int32
    ) throws(CryptoError) -> OpaquePointer {
        guard let builder = OSSL_PARAM_BLD_new() else { throw .openSSL("set up a key") }
        defer { OSSL_PARAM_BLD_free(builder) }
        let point = key.uncompressed
        // The builder keeps pointers into what it is given until it makes the parameters.
        let parameters = point.withUnsafeBytes { point in
            "prime256v1".withCString { curve -> UnsafeMutablePointer<OSSL_PARAM>? in
                let pushed =
                    OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0) == 1
                    && OSSL_PARAM_BLD_push_octet_string(
                        builder, OSSL_PKEY_PARAM_PUB_KEY, point.baseAddress, point.count) == 1
                    && (scalar.map { OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, $0.number) == 1 } ?? true)
                return pushed ? OSSL_PARAM_BLD_to_param(builder) : nil
            }
        }
        guard let parameters else { throw .openSSL("set up a key") }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .openSSL("set up a key") }
        defer { EVP_PKEY_CTX_free(context) }
        var result: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1, EVP_PKEY_fromdata(context, &result, selection, parameters) == 1,
            let result
        else { throw .openSSL("set up a key") }
        return result
    }
}
