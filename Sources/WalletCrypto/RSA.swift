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
        let count = modulus.count
        guard (64...512).contains(count), let last = modulus.suffix(1).first, last & 1 == 1, modulus.first != 0 else {
            throw CryptoError(.invalidKey, "An RSA modulus here has 64 to 512 bytes and is odd")
        }
        guard (1...8).contains(exponent.count), exponent.contains(where: { $0 != 0 }) else {
            throw CryptoError(.invalidKey, "An RSA exponent here has 1 to 8 bytes and is not zero")
        }
        guard data.count == count else {
            throw CryptoError(.invalidParameter, "The data has \(data.count) bytes and the RSA modulus \(count)")
        }
        guard let context = BN_CTX_new() else { throw .openSSL("set up RSA") }
        defer { BN_CTX_free(context) }
        let (base, power, divisor, result) = (number(data), number(exponent), number(modulus), BN_new())
        defer { [base, power, divisor, result].forEach { BN_free($0) } }
        guard let base, let power, let divisor, let result else { throw .openSSL("read a number") }
        guard BN_cmp(base, divisor) < 0 else {
            throw CryptoError(.invalidParameter, "The data is not below the RSA modulus")
        }
        var output = [UInt8](repeating: 0, count: count)
        guard BN_mod_exp(result, base, power, divisor, context) == 1,
            BN_bn2binpad(result, &output, Int32(count)) == Int32(count)
        else { throw .openSSL("compute with RSA") }
        return output
    }

    private static func number(_ bytes: some Collection<UInt8>) -> OpaquePointer? {
        withBytes(bytes) { BN_bin2bn($0.octets, Int32($0.count), nil) }
    }
}
