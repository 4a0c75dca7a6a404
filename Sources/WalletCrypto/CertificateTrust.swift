// SPDX-License-Identifier: Apache-2.0

import COpenSSL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Whether a chain leads from a certificate to a root that the caller trusts (RFC 5280, 6).
public enum CertificateTrust: Hashable, Sendable {
    /// A chain to one of the roots, all of it inside its dates.
    case trusted
    /// A chain to one of the roots, but the certificate with this subject has run out.
    case expired(subject: String)
    /// A chain to one of the roots, but the certificate with this subject is not valid yet.
    case notYetValid(subject: String)
    /// No chain to any of the roots; OpenSSL's words for it.
    case untrusted(reason: String)

    /// The trust in `leaf` at a time (now for nil), and the chain as far as it could be built, leaf first.
    ///
    /// A root need not be self-signed: an intermediate that the caller trusts is a root too. Critical extensions under
    /// Apple's arc 1.2.840.113635 are let pass, for Apple marks its own certificates with them.
    public static func evaluate(
        _ leaf: X509Certificate, intermediates: [X509Certificate] = [], roots: [X509Certificate], at date: Date? = nil
    ) throws(CryptoError) -> (trust: CertificateTrust, chain: [X509Certificate]) {
        try drainingErrors { () throws(CryptoError) in
            let untrusted = try CertificateStack(intermediates)
            let anchors = try CertificateStack(roots)
            let leaf = try X509Pointer(der: leaf.der)
            let (first, chain) = try verify(leaf, untrusted, anchors, date, checkingDates: true)
            guard first.isAboutDates else { return (first.trust, chain) }
            // Dates are the last of the worries: first see whether there is anything else.
            let (second, _) = try verify(leaf, untrusted, anchors, date, checkingDates: false)
            return (second.trust == .trusted ? first.trust : second.trust, chain)
        }
    }

    private struct Verdict {
        var trust: CertificateTrust
        var isAboutDates: Bool {
            switch trust {
            case .expired, .notYetValid: true
            case .trusted, .untrusted: false
            }
        }

        init(error: Int32, subject: String) {
            switch error {
            case X509_V_OK: trust = .trusted
            case X509_V_ERR_CERT_HAS_EXPIRED: trust = .expired(subject: subject)
            case X509_V_ERR_CERT_NOT_YET_VALID: trust = .notYetValid(subject: subject)
            default: trust = .untrusted(reason: String(cString: X509_verify_cert_error_string(Int(error))))
            }
        }
    }

    private static func verify(
        _ leaf: X509Pointer, _ untrusted: CertificateStack, _ roots: CertificateStack, _ date: Date?,
        checkingDates: Bool
    ) throws(CryptoError) -> (Verdict, [X509Certificate]) {
        guard let store = X509_STORE_new() else { throw .openSSL("set up a certificate store") }
        defer { X509_STORE_free(store) }
        guard let context = X509_STORE_CTX_new() else { throw .openSSL("set up a certificate store") }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_CTX_init(context, store, leaf.pointer, untrusted.pointer) == 1,
            let parameters = X509_STORE_CTX_get0_param(context)
        else { throw .openSSL("set up a certificate store") }
        X509_STORE_CTX_set0_trusted_stack(context, roots.pointer)
        X509_STORE_CTX_set_verify_cb(context) { accepted, context in
            accepted == 1 || CertificateTrust.isAppleExtension(context) ? 1 : 0
        }
        var flags = UInt(X509_V_FLAG_PARTIAL_CHAIN)
        if !checkingDates { flags |= UInt(X509_V_FLAG_NO_CHECK_TIME) }
        X509_VERIFY_PARAM_set_flags(parameters, flags)
        X509_VERIFY_PARAM_set_time(parameters, X509Certificate.seconds(date ?? Date()))
        let verified = X509_verify_cert(context) == 1
        let subject = X509_STORE_CTX_get_current_cert(context).flatMap { try? X509Certificate($0) }?.subject ?? ""
        let chain = try CertificateStack.values(X509_STORE_CTX_get0_chain(context))
        let error = X509_STORE_CTX_get_error(context)
        return (Verdict(error: verified ? X509_V_OK : max(error, X509_V_ERR_UNSPECIFIED), subject: subject), chain)
    }

    /// Whether the complaint is about critical extensions, and all of those that OpenSSL does not know are Apple's.
    private static func isAppleExtension(_ context: OpaquePointer?) -> Bool {
        guard X509_STORE_CTX_get_error(context) == X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION,
            let certificate = X509_STORE_CTX_get_current_cert(context)
        else { return false }
        return (0..<max(0, X509_get_ext_count(certificate))).allSatisfy { index in
            guard let found = X509_get_ext(certificate, index) else { return false }
            return X509_EXTENSION_get_critical(found) == 0 || X509_supported_extension(found) == 1
                || X509Certificate.dotted(X509_EXTENSION_get_object(found)).hasPrefix("1.2.840.113635.")
        }
    }
}

/// OpenSSL's stack of certificates, which owns them.
final class CertificateStack {
    let pointer: OpaquePointer

    init(_ certificates: [X509Certificate]) throws(CryptoError) {
        guard let stack = countertop_certificates_new() else { throw .openSSL("list certificates") }
        pointer = stack
        for certificate in certificates { try append(certificate) }
    }

    func append(_ certificate: X509Certificate) throws(CryptoError) {
        let copy = try X509Pointer(der: certificate.der)
        guard X509_up_ref(copy.pointer) == 1 else { throw .openSSL("list certificates") }
        guard countertop_certificates_push(pointer, copy.pointer) > 0 else {
            X509_free(copy.pointer)
            throw .openSSL("list certificates")
        }
    }

    deinit { countertop_certificates_free(pointer) }

    /// The certificates of a stack that stays OpenSSL's.
    static func values(_ stack: OpaquePointer?) throws(CryptoError) -> [X509Certificate] {
        var certificates: [X509Certificate] = []
        for index in 0..<max(0, countertop_certificates_count(stack)) {
            guard let certificate = countertop_certificates_at(stack, index) else { continue }
            certificates.append(try X509Certificate(certificate))
        }
        return certificates
    }
}
