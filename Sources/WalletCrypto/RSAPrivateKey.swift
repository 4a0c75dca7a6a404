// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// An RSA private key that signs raw blocks, as EMV certificates and cards do (EMV Book 2, B2.1).
///
/// For emulated cards and tests. Nothing prints the key; its numbers are overwritten when the last copy goes. Copies
/// share them, and they never change: any thread may use the key.
public struct RSAPrivateKey: Sendable {
    /// The modulus, big endian, without leading zeros.
    public let modulus: [UInt8]
    /// The public exponent, big endian, without leading zeros.
    public let publicExponent: [UInt8]
    private let numbers: Numbers

    /// A fresh key.
    /// - Parameters:
    ///   - bits: length of the modulus, 512 to 4096, a multiple of 8. EMV's keys have at most 1984.
    ///   - exponent: 3 or 65537 (EMV Book 2, 11.1).
    /// - Throws: `invalidParameter`.
    public static func generate(bits: Int, exponent: UInt = 3) throws(CryptoError) -> RSAPrivateKey {
        guard (512...4096).contains(bits), bits.isMultiple(of: 8), exponent == 3 || exponent == 65537 else {
            throw CryptoError(
                .invalidParameter, "An RSA key here has 512 to 4096 bits, whole bytes, and the exponent 3 or 65537")
        }
        guard let key = countertop_rsa_generate(bits, exponent) else { throw .openSSL("make an RSA key") }
        defer { EVP_PKEY_free(key) }
        let numbers = Numbers()
        guard EVP_PKEY_get_bn_param(key, "n", &numbers.modulus) == 1,
            EVP_PKEY_get_bn_param(key, "e", &numbers.publicExponent) == 1,
            EVP_PKEY_get_bn_param(key, "d", &numbers.privateExponent) == 1
        else { throw .openSSL("read an RSA key") }
        return try RSAPrivateKey(numbers)
    }

    /// A key from its numbers, big endian.
    ///
    /// The modulus has 64 to 512 bytes and is odd. That the exponents belong together is tried with one block.
    /// - Throws: `invalidKey`.
    public init(
        modulus: some Collection<UInt8>, privateExponent: some Collection<UInt8>, publicExponent: some Collection<UInt8>
    ) throws(CryptoError) {
        guard (64...512).contains(modulus.count), (1...512).contains(privateExponent.count),
            (1...8).contains(publicExponent.count)
        else { throw CryptoError(.invalidKey, "An RSA modulus here has 64 to 512 bytes and a public exponent up to 8") }
        let numbers = Numbers()
        numbers.modulus = withBytes(modulus) { BN_bin2bn($0.octets, Int32($0.count), nil) }
        numbers.publicExponent = withBytes(publicExponent) { BN_bin2bn($0.octets, Int32($0.count), nil) }
        numbers.privateExponent = withBytes(privateExponent) { BN_bin2bn($0.octets, Int32($0.count), BN_secure_new()) }
        try self.init(numbers)
        let probe = [UInt8](repeating: 0, count: self.modulus.count - 1) + [2]
        guard try RSA.recover(try sign(rawBlock: probe), modulus: self.modulus, exponent: self.publicExponent) == probe
        else { throw CryptoError(.invalidKey, "These RSA exponents do not belong together") }
    }

    private init(_ numbers: Numbers) throws(CryptoError) {
        guard let modulus = numbers.modulus, let exponent = numbers.publicExponent, let secret = numbers.privateExponent
        else { throw .openSSL("read a number") }
        guard BN_is_odd(modulus) == 1, BN_num_bits(modulus) > 504, BN_is_zero(exponent) == 0, BN_is_zero(secret) == 0,
            BN_cmp(secret, modulus) < 0
        else { throw CryptoError(.invalidKey, "These numbers are no RSA key") }
        // The private exponent takes the way whose time does not depend on it.
        BN_set_flags(secret, BN_FLG_CONSTTIME)
        self.numbers = numbers
        (self.modulus, self.publicExponent) = (Self.bytes(modulus), Self.bytes(exponent))
    }

    /// `block` ^ private exponent mod modulus: the private operation without any padding.
    /// - Parameter block: as many bytes as the modulus has, below it.
    /// - Throws: `invalidParameter`.
    public func sign(rawBlock block: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        guard block.count == modulus.count else {
            throw CryptoError(.invalidParameter, "The block has \(block.count) bytes and the modulus \(modulus.count)")
        }
        guard let context = BN_CTX_secure_new(), let result = BN_new(),
            let base = withBytes(block, { BN_bin2bn($0.octets, Int32($0.count), nil) })
        else { throw .openSSL("set up RSA") }
        defer {
            BN_clear_free(base)
            BN_clear_free(result)
            BN_CTX_free(context)
        }
        guard BN_cmp(base, numbers.modulus) < 0 else {
            throw CryptoError(.invalidParameter, "The block is not below the RSA modulus")
        }
        var output = [UInt8](repeating: 0, count: modulus.count)
        guard
            BN_mod_exp_mont_consttime(result, base, numbers.privateExponent, numbers.modulus, context, nil) == 1,
            BN_bn2binpad(result, &output, Int32(output.count)) == Int32(output.count)
        else { throw .openSSL("sign with RSA") }
        return output
    }

    /// The private exponent, big endian, as long as the modulus: to keep a key that was generated.
    public func privateExponent() throws(CryptoError) -> SecretBytes {
        try SecretBytes(count: modulus.count) { buffer throws(CryptoError) in
            let count = Int32(buffer.count)
            guard BN_bn2binpad(numbers.privateExponent, buffer.octets, count) == count else {
                throw .openSSL("write a number")
            }
        }
    }

    private static func bytes(_ number: OpaquePointer) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }
}

extension RSAPrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That it is a private key, and no more.
    public var description: String { "<RSA private key, \(modulus.count * 8) bits>" }
    /// That it is a private key, and no more.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The numbers of a key. Written before the key is made, only read afterwards.
private final class Numbers: @unchecked Sendable {
    var modulus: OpaquePointer?
    var publicExponent: OpaquePointer?
    var privateExponent: OpaquePointer? = BN_secure_new()

    deinit {
        BN_free(modulus)
        BN_free(publicExponent)
        BN_clear_free(privateExponent)
    }
}
