// SPDX-License-Identifier: Apache-2.0

import COpenSSL

extension P256PrivateKey {
    /// The ES256 signature of `message`: r ‖ s, 64 bytes (RFC 7518, 3.4).
    public func signES256(_ message: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        let key = try EVPKey(self)
        guard let context = EVP_MD_CTX_new() else { throw .openSSL("set up a signature") }
        defer { EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: 80)
        var count = der.count
        let signed = withBytes(message) { message in
            EVP_DigestSignInit_ex(context, nil, "SHA2-256", nil, nil, key.pointer, nil) == 1
                && EVP_DigestSign(context, &der, &count, message.octets, message.count) == 1
        }
        guard signed, count <= der.count, let signature = ES256.fixed(der[..<count]) else { throw .openSSL("sign") }
        return signature
    }
}

extension P256PublicKey {
    /// Whether `signature` (r ‖ s, 64 bytes, RFC 7518 3.4) is one of this key over `message`.
    public func isValidES256(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        drainingErrors {
            guard signature.count == 64, let der = ES256.der(signature), let key = try? EVPKey(self),
                let context = EVP_MD_CTX_new()
            else { return false }
            defer { EVP_MD_CTX_free(context) }
            return withBytes(message) { message in
                EVP_DigestVerifyInit_ex(context, nil, "SHA2-256", nil, nil, key.pointer, nil) == 1
                    && EVP_DigestVerify(context, der, der.count, message.octets, message.count) == 1
            }
        }
    }
}

/// ECDSA signatures as OpenSSL has them (DER, RFC 3279 2.2.3) and as JWS has them.
private enum ES256 {
    static func fixed(_ der: ArraySlice<UInt8>) -> [UInt8]? {
        let signature = der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &next, buffer.count)
        }
        guard let signature else { return nil }
        defer { ECDSA_SIG_free(signature) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            BN_bn2binpad(ECDSA_SIG_get0_r(signature), buffer.baseAddress, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), buffer.baseAddress?.advanced(by: 32), 32) == 32
        }
        return written ? bytes : nil
    }

    static func der(_ fixed: [UInt8]) -> [UInt8]? {
        guard let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let numbers = fixed.withUnsafeBufferPointer { buffer in
            (BN_bin2bn(buffer.baseAddress, 32, nil), BN_bin2bn(buffer.baseAddress?.advanced(by: 32), 32, nil))
        }
        guard ECDSA_SIG_set0(signature, numbers.0, numbers.1) == 1 else {
            BN_free(numbers.0)
            BN_free(numbers.1)
            return nil
        }
        return encoded { i2d_ECDSA_SIG(signature, $0) }
    }
}

/// The bytes that one of OpenSSL's `i2d` functions writes.
func encoded(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
    let count = Int(write(nil))
    guard count > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let written = bytes.withUnsafeMutableBufferPointer { buffer in
        var next = buffer.baseAddress
        return Int(write(&next))
    }
    return written == count ? bytes : nil
}
