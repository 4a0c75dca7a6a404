// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The RSA public operation without padding, which recovers EMV certificates and signatures (EMV Book 2, B2.1).
public enum RSA {
    /// `data` ^ `exponent` mod `modulus`, as many bytes as the modulus has. Numbers are big endian.
    ///
    /// The modulus has 64 to 512 bytes and is odd, `data` has its length and is below it; the exponent has 1 to 8 bytes.
    /// - Throws: `invalidKey` or `invalidParameter`.
    public static func recover(
        _ data: some Collection<UInt8>, modulus: some Collection<UInt8>, exponent: some Collection<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        try recover(Array(data), modulus: Array(modulus), exponent: Array(exponent))
    }

    /// The same for arrays, as they mostly are.
    public static func recover(
        _ data: [UInt8], modulus: [UInt8], exponent: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try withBytes(data) { data throws(CryptoError) in
            try withBytes(modulus) { modulus throws(CryptoError) in
                try withBytes(exponent) { exponent throws(CryptoError) in
                    try check(data, modulus: modulus, exponent: exponent)
                    return try raise(data, to: exponent, modulo: modulus)
                }
            }
        }
    }

    private static func check(
        _ data: UnsafeRawBufferPointer, modulus: UnsafeRawBufferPointer, exponent: UnsafeRawBufferPointer
    ) throws(CryptoError) {
        let count = modulus.count
        guard (64...512).contains(count), modulus[count - 1] & 1 == 1, modulus[0] != 0 else {
            throw CryptoError(.invalidKey, "An RSA modulus here has 64 to 512 bytes and is odd")
        }
        guard (1...8).contains(exponent.count), exponent.contains(where: { $0 != 0 }) else {
            throw CryptoError(.invalidKey, "An RSA exponent here has 1 to 8 bytes and is not zero")
        }
        guard data.count == count else {
            throw CryptoError(.invalidParameter, "The data has \(data.count) bytes and the RSA modulus \(count)")
        }
    }

    private static func raise(
        _ data: UnsafeRawBufferPointer, to exponent: UnsafeRawBufferPointer, modulo modulus: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
        guard let context = BN_CTX_new() else { throw .openSSL("set up RSA") }
        defer { BN_CTX_free(context) }
        let (base, power, divisor, result) = (number(data), number(exponent), number(modulus), BN_new())
        defer {
            BN_free(base)
            BN_free(power)
            BN_free(divisor)
            BN_free(result)
        }
        guard let base, let power, let divisor, let result else { throw .openSSL("read a number") }
        guard BN_cmp(base, divisor) < 0 else {
            throw CryptoError(.invalidParameter, "The data is not below the RSA modulus")
        }
        // A card's key is used once. For the exponent 3, the usual one, two divisions cost less than half of what
        // setting up Montgomery multiplication for its modulus does.
        let isDone =
            BN_is_word(power, 3) == 1
            ? BN_mod_sqr(result, base, divisor, context) == 1
                && BN_mod_mul(result, result, base, divisor, context) == 1
            : BN_mod_exp(result, base, power, divisor, context) == 1
        var output = [UInt8](repeating: 0, count: modulus.count)
        guard isDone, BN_bn2binpad(result, &output, Int32(output.count)) == Int32(output.count) else {
            throw .openSSL("compute with RSA")
        }
        return output
    }

    private static func number(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer? {
        BN_bin2bn(bytes.octets, Int32(bytes.count), nil)
    }
}
