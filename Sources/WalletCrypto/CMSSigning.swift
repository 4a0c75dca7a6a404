// SPDX-License-Identifier: Apache-2.0

import COpenSSL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension CMS {
    /// A detached signature over `content` in DER, with SHA-256 and a signing time, as a pass wants it.
    /// - Parameters:
    ///   - content: what is signed; it does not go into the signature.
    ///   - key: the signer's.
    ///   - certificate: the signer's, which must be for `key`; it goes into the signature.
    ///   - intermediates: further certificates that go into the signature.
    ///   - signingTime: nil is now.
    public static func signDetached(
        _ content: [UInt8], key: P256PrivateKey, certificate: X509Certificate, intermediates: [X509Certificate] = [],
        signingTime: Date? = nil
    ) throws(CryptoError) -> [UInt8] {
        guard certificate.publicKey == key.publicKey else {
            throw CryptoError(.invalidKey, "The private key does not belong to the signer's certificate")
        }
        guard content.count <= Int(Int32.max) else {
            throw CryptoError(.invalidParameter, "The content is longer than 2 GiB")
        }
        let (leaf, others, key) = (
            try X509Pointer(der: certificate.der), try CertificateStack(intermediates), try EVPKey(key)
        )
        let flags = UInt32(CMS_BINARY) | UInt32(CMS_DETACHED) | UInt32(CMS_PARTIAL) | UInt32(CMS_NOSMIMECAP)
        guard let message = CMS_sign(nil, nil, others.pointer, nil, flags) else { throw .openSSL("sign") }
        defer { CMS_ContentInfo_free(message) }
        guard let signer = CMS_add1_signer(message, leaf.pointer, key.pointer, Algorithms.sha256, flags),
            add(signingTime ?? Date(), to: signer),
            withMemoryBIO(content, { CMS_final(message, $0, nil, flags) == 1 }),
            let der = encoded({ i2d_CMS_ContentInfo(message, $0) })
        else { throw .openSSL("sign") }
        return der
    }

    private static func add(_ time: Date, to signer: OpaquePointer) -> Bool {
        guard let time = ASN1_TIME_set(nil, X509Certificate.seconds(time)) else { return false }
        defer { ASN1_STRING_free(time) }
        return CMS_signed_add1_attr_by_NID(signer, NID_pkcs9_signingTime, time.pointee.type, time, -1) == 1
    }
}
