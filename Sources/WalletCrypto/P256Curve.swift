// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The arithmetic of P-256 (FIPS 186-5, SP 800-186 3.2.1.3), on OpenSSL's curve functions.
///
/// They do the same constant-time multiplication as `EVP_PKEY_derive`, without building two EVP keys around each use.
/// The group is read-only once made and may be shared between threads; points and numbers are made per call.
enum P256Curve {
    nonisolated(unsafe) private static let sharedGroup = EC_GROUP_new_by_curve_name_ex(nil, nil, NID_X9_62_prime256v1)

    /// The length of a coordinate and of a private scalar in bytes.
    static let coordinateCount = 32
    /// The length of `04 ‖ X ‖ Y` (SEC 1, 2.3.3).
    static let uncompressedCount = 65
    /// The length of `02|03 ‖ X` (SEC 1, 2.3.3).
    static let compressedCount = 33

    private static func group() throws(CryptoError) -> OpaquePointer {
        guard let sharedGroup else { throw .openSSL("set up P-256") }
        return sharedGroup
    }

    /// The uncompressed form of an encoded point; refuses what is not on the curve, X ≥ p and infinity.
    static func uncompressed(_ encoded: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
        try withPoint(encoded) { group, point throws(CryptoError) in
            try encode(point, in: group, form: POINT_CONVERSION_UNCOMPRESSED, count: uncompressedCount)
        }
    }

    /// scalar × G, uncompressed.
    static func publicPoint(of scalar: Scalar) throws(CryptoError) -> [UInt8] {
        let group = try group()
        guard let product = EC_POINT_new(group) else { throw .openSSL("make a point") }
        defer { EC_POINT_free(product) }
        guard EC_POINT_mul(group, product, scalar.number, nil, nil, nil) == 1 else {
            throw .openSSL("compute a public key")
        }
        return try encode(product, in: group, form: POINT_CONVERSION_UNCOMPRESSED, count: uncompressedCount)
    }

    /// The X coordinate of scalar × point, 32 bytes with leading zeros kept (SEC 1, 3.3.1).
    static func agree(_ scalar: Scalar, _ encoded: UnsafeRawBufferPointer) throws(CryptoError) -> SecretBytes {
        try withPoint(encoded) { group, point throws(CryptoError) in
            guard let product = EC_POINT_new(group), let x = BN_new() else { throw .openSSL("make a point") }
            defer {
                EC_POINT_clear_free(product)
                BN_clear_free(x)
            }
            // The curve has cofactor 1: a point on it, times a scalar below the order, is never infinity.
            guard EC_POINT_mul(group, product, nil, point, scalar.number, nil) == 1,
                EC_POINT_get_affine_coordinates(group, product, x, nil, nil) == 1
            else { throw .openSSL("agree on a secret") }
            return try SecretBytes(count: coordinateCount) { output throws(CryptoError) in
                guard BN_bn2binpad(x, output.octets, Int32(coordinateCount)) == Int32(coordinateCount) else {
                    throw .openSSL("agree on a secret")
                }
            }
        }
    }

    /// Whether 1 ≤ number < n, the order of the group.
    static func isScalar(_ number: OpaquePointer) throws(CryptoError) -> Bool {
        guard let order = EC_GROUP_get0_order(try group()) else { throw .openSSL("set up P-256") }
        return BN_is_zero(number) == 0 && BN_is_negative(number) == 0 && BN_cmp(number, order) < 0
    }

    /// A random scalar, 1 to n - 1 (FIPS 186-5, A.2.2).
    static func randomScalar() throws(CryptoError) -> Scalar {
        guard let order = EC_GROUP_get0_order(try group()), let number = BN_secure_new() else {
            throw .openSSL("set up P-256")
        }
        repeat {
            guard BN_priv_rand_range_ex(number, order, 0, nil) == 1 else {
                BN_clear_free(number)
                throw .openSSL("make a random number")
            }
        } while BN_is_zero(number) == 1
        return Scalar(owning: number)
    }

    private static func withPoint<R>(
        _ encoded: UnsafeRawBufferPointer, _ body: (OpaquePointer, OpaquePointer) throws(CryptoError) -> R
    ) throws(CryptoError) -> R {
        let group = try group()
        guard let point = EC_POINT_new(group) else { throw .openSSL("make a point") }
        defer { EC_POINT_free(point) }
        guard EC_POINT_oct2point(group, point, encoded.octets, encoded.count, nil) == 1,
            EC_POINT_is_at_infinity(group, point) == 0
        else { throw drainingErrors { CryptoError(.invalidPoint, "These coordinates are not a point on P-256") } }
        return try body(group, point)
    }

    private static func encode(
        _ point: OpaquePointer, in group: OpaquePointer, form: point_conversion_form_t, count: Int
    ) throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard EC_POINT_point2oct(group, point, form, &bytes, count, nil) == count else {
            throw .openSSL("encode a point")
        }
        return bytes
    }

    /// A private scalar as OpenSSL's number, overwritten when freed. Never changed once made, so threads may share it.
    final class Scalar: Sendable {
        nonisolated(unsafe) let number: OpaquePointer

        init(owning number: OpaquePointer) {
            BN_set_flags(number, BN_FLG_CONSTTIME)
            self.number = number
        }

        deinit { BN_clear_free(number) }
    }
}
