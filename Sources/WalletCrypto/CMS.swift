// SPDX-License-Identifier: Apache-2.0

import COpenSSL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Who signed, when they say they did, and whether that is to be trusted. The signatures themselves are sound.
public struct CMSSigners: Hashable, Sendable {
    /// One signature.
    public struct Signer: Hashable, Sendable {
        /// The signer's certificate.
        public let certificate: X509Certificate
        /// The chain as far as it could be built, the signer first.
        public let chain: [X509Certificate]
        /// The time in the signed attributes: what the signer's clock said (RFC 5652, 11.3).
        public let signingTime: Date?
        /// The name of the digest, such as `SHA256`.
        public let digestAlgorithm: String
        /// Whether the chain leads to a root.
        public let trust: CertificateTrust
    }

    /// The signatures, at least one.
    public let signers: [Signer]
    /// The certificates that came with the signature.
    public let certificates: [X509Certificate]

    /// Passes when every signer is trusted.
    /// - Throws: `untrusted` or `expired` with the reason.
    public func requireTrusted() throws(CryptoError) {
        for signer in signers {
            switch signer.trust {
            case .trusted: continue
            case .expired(let subject):
                throw CryptoError(.expired, "The signature is intact, but the certificate of \(subject) has expired")
            case .notYetValid(let subject):
                throw CryptoError(
                    .expired, "The signature is intact, but the certificate of \(subject) is not valid yet")
            case .untrusted(let reason):
                throw CryptoError(.untrusted, "The signature is intact, but its signer is not trusted: \(reason)")
            }
        }
    }
}

/// Signatures in the Cryptographic Message Syntax (RFC 5652), as the file `signature` of a pass is one.
public enum CMS {
    /// The signers of a detached signature over `content`.
    ///
    /// Trust is a value of the result; what is thrown means that there is no sound signature over this content.
    /// - Parameters:
    ///   - der: the signature, all of it.
    ///   - content: what was signed.
    ///   - roots: the certificates that are trusted.
    ///   - intermediates: certificates for the chain beside those in the signature.
    ///   - date: the time for the certificates' dates; nil is now.
    /// - Throws: `contentChanged` when the content is not what was signed, `invalidSignature` for all else.
    public static func verifyDetached(
        signature der: [UInt8], content: [UInt8], roots: [X509Certificate], intermediates: [X509Certificate] = [],
        at date: Date? = nil
    ) throws(CryptoError) -> CMSSigners {
        try drainingErrors { () throws(CryptoError) in
            let message = try CMSMessage(der: der)
            try message.verify(content: content, intermediates: intermediates)
            let certificates = try message.certificates()
            var signers: [CMSSigners.Signer] = []
            for signer in message.signers {
                signers.append(
                    try describe(signer, intermediates: certificates + intermediates, roots: roots, at: date))
            }
            return CMSSigners(signers: signers, certificates: certificates)
        }
    }

    private static func describe(
        _ signer: OpaquePointer, intermediates: [X509Certificate], roots: [X509Certificate], at date: Date?
    ) throws(CryptoError) -> CMSSigners.Signer {
        var (pointer, digest): (OpaquePointer?, UnsafeMutablePointer<X509_ALGOR>?) = (nil, nil)
        CMS_SignerInfo_get0_algs(signer, nil, &pointer, &digest, nil)
        guard let pointer else { throw CryptoError(.invalidSignature, "The signer's certificate is missing") }
        let certificate = try X509Certificate(pointer)
        let found = try CertificateTrust.evaluate(certificate, intermediates: intermediates, roots: roots, at: date)
        var algorithm: OpaquePointer?
        X509_ALGOR_get0(&algorithm, nil, nil, digest)
        return CMSSigners.Signer(
            certificate: certificate, chain: found.chain, signingTime: signingTime(signer),
            digestAlgorithm: OBJ_nid2sn(OBJ_obj2nid(algorithm)).map { String(cString: $0) } ?? "unknown",
            trust: found.trust)
    }

    private static func signingTime(_ signer: OpaquePointer) -> Date? {
        let index = CMS_signed_get_attr_by_NID(signer, NID_pkcs9_signingTime, -1)
        guard index >= 0, let attribute = CMS_signed_get_attr(signer, index),
            let type = X509_ATTRIBUTE_get0_type(attribute, 0),
            [V_ASN1_UTCTIME, V_ASN1_GENERALIZEDTIME].contains(type.pointee.type)
        else { return nil }
        return X509Certificate.date(type.pointee.value.asn1_string)
    }
}

/// A parsed CMS signature.
private final class CMSMessage {
    private let pointer: OpaquePointer

    init(der: [UInt8]) throws(CryptoError) {
        let (message, used) = der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            let message = next == nil ? nil : d2i_CMS_ContentInfo(nil, &next, buffer.count)
            return (message, next == buffer.baseAddress?.advanced(by: buffer.count))
        }
        guard let message else { throw CryptoError(.invalidSignature, "This is not a CMS signature in DER") }
        pointer = message
        guard used else { throw CryptoError(.invalidSignature, "There are more bytes after the CMS signature") }
        guard OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed else {
            throw CryptoError(.invalidSignature, "This CMS message is not a signature")
        }
        guard !signers.isEmpty else { throw CryptoError(.invalidSignature, "This CMS message has no signer") }
        guard CMS_is_detached(message) == 1 else {
            throw CryptoError(.invalidSignature, "This CMS signature is not detached: it carries its own content")
        }
    }

    deinit { CMS_ContentInfo_free(pointer) }

    var signers: [OpaquePointer] {
        let stack = CMS_get0_SignerInfos(pointer)
        return (0..<max(0, countertop_signers_count(stack))).compactMap { countertop_signers_at(stack, $0) }
    }

    func certificates() throws(CryptoError) -> [X509Certificate] {
        guard let stack = CMS_get1_certs(pointer) else { return [] }
        defer { countertop_certificates_free(stack) }
        return try CertificateStack.values(stack)
    }

    /// Checks the signature values and the content's digest, not the certificates.
    func verify(content: [UInt8], intermediates: [X509Certificate]) throws(CryptoError) {
        guard content.count <= Int(Int32.max) else {
            throw CryptoError(.invalidParameter, "The content is longer than 2 GiB")
        }
        let others = try CertificateStack(intermediates)
        ERR_clear_error()
        let flags = UInt32(CMS_BINARY) | UInt32(CMS_NO_SIGNER_CERT_VERIFY)
        let verified = withMemoryBIO(content) { CMS_verify(pointer, others.pointer, nil, $0, nil, flags) == 1 }
        if !verified { throw Self.failure() }
    }

    private static func failure() -> CryptoError {
        var reasons: Set<Int32> = []
        while case let error = ERR_get_error(), error != 0 {
            if ERR_GET_LIB(error) == ERR_LIB_CMS { reasons.insert(ERR_GET_REASON(error)) }
        }
        // The order of RFC 5652, 5.6: first the signed attributes, then the digest of the content.
        if reasons.contains(CMS_R_CONTENT_VERIFY_ERROR) {
            return CryptoError(.contentChanged, "The content is not what was signed")
        }
        if reasons.contains(CMS_R_SIGNER_CERTIFICATE_NOT_FOUND) {
            return CryptoError(.invalidSignature, "The signer's certificate did not come with the signature")
        }
        return CryptoError(.invalidSignature, "The signature is broken: its value does not verify")
    }
}

/// Lends `bytes` as a BIO to read from.
func withMemoryBIO(_ bytes: [UInt8], _ body: (OpaquePointer) -> Bool) -> Bool {
    // A buffer of no bytes may have no address, and a BIO without one is refused.
    (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { buffer in
        guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(bytes.count)) else { return false }
        defer { BIO_free(bio) }
        return body(bio)
    }
}
