// SPDX-License-Identifier: Apache-2.0

import COpenSSL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension X509Certificate {
    /// A certificate signed with `issuerKey`: for tests, demonstrations and emulated authorities.
    /// - Parameters:
    ///   - subject: parts of the name in their order, by short name (`UID`, `CN`, `OU`, `O`, `C`).
    ///   - publicKey: the subject's.
    ///   - issuer: the issuer's certificate, or nil for a self-signed one, whose `issuerKey` is the subject's own.
    ///   - issuerKey: signs the certificate.
    ///   - notBefore: the first moment of its validity, to the second.
    ///   - notAfter: the last one.
    ///   - isAuthority: whether it may sign other certificates.
    ///   - keyUsage: what the key is for; by default what suits an authority or a signer.
    ///   - extensions: further extensions, after the usual ones.
    public static func issue(
        subject: [(name: String, value: String)], publicKey: P256PublicKey, issuer: X509Certificate?,
        issuerKey: P256PrivateKey, notBefore: Date, notAfter: Date, isAuthority: Bool = false,
        keyUsage: [X509KeyUsage]? = nil, extensions: [X509Extension] = []
    ) throws(CryptoError) -> X509Certificate {
        try issue(
            subject: subject, subjectPublicKeyInfo: publicKey.subjectPublicKeyInfo(compressed: false), issuer: issuer,
            issuerKey: issuerKey, notBefore: notBefore, notAfter: notAfter, isAuthority: isAuthority,
            keyUsage: keyUsage, extensions: extensions)
    }

    /// The same for a key of any kind, given as SubjectPublicKeyInfo in DER: what a hostile subject might bring.
    public static func issue(
        subject: [(name: String, value: String)], subjectPublicKeyInfo: [UInt8], issuer: X509Certificate?,
        issuerKey: P256PrivateKey, notBefore: Date, notAfter: Date, isAuthority: Bool = false,
        keyUsage: [X509KeyUsage]? = nil, extensions: [X509Extension] = []
    ) throws(CryptoError) -> X509Certificate {
        try drainingErrors { () throws(CryptoError) in
            guard let new = X509_new() else { throw .openSSL("make a certificate") }
            let certificate = X509Pointer(owning: new)
            let issuer = try issuer.map { issuer throws(CryptoError) in try X509Pointer(der: issuer.der) }
            let signingKey = try EVPKey(issuerKey)
            guard let key = publicKey(subjectPublicKeyInfo) else {
                throw CryptoError(.invalidKey, "This is not a SubjectPublicKeyInfo in DER")
            }
            defer { EVP_PKEY_free(key) }
            for part in subject {
                guard add(part, to: X509_get_subject_name(new)) else {
                    throw CryptoError(.invalidParameter, "\(part.name) is not a part of a name that can be set")
                }
            }
            let issuerName = X509_get_subject_name(issuer?.pointer ?? new)
            let usage = keyUsage ?? (isAuthority ? [.keyCertSign, .cRLSign] : [.digitalSignature])
            guard X509_set_version(new, 2) == 1, setSerialNumber(new), setDates(new, notBefore, notAfter),
                X509_set_issuer_name(new, issuerName) == 1, X509_set_pubkey(new, key) == 1,
                addExtensions(to: new, issuer: issuer?.pointer ?? new, isAuthority: isAuthority, usage: usage),
                extensions.allSatisfy({ add($0, to: new) }),
                X509_sign(new, signingKey.pointer, Algorithms.sha256) > 0
            else { throw .openSSL("make a certificate") }
            return try X509Certificate(certificate.pointer)
        }
    }

    private static func publicKey(_ info: [UInt8]) -> OpaquePointer? {
        info.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return next == nil ? nil : d2i_PUBKEY(nil, &next, buffer.count)
        }
    }

    private static func add(_ extra: X509Extension, to certificate: OpaquePointer) -> Bool {
        guard let object = OBJ_txt2obj(extra.identifier, 1), let value = ASN1_OCTET_STRING_new() else { return false }
        defer {
            ASN1_OBJECT_free(object)
            ASN1_STRING_free(value)
        }
        guard ASN1_OCTET_STRING_set(value, extra.value, Int32(clamping: extra.value.count)) == 1,
            let made = X509_EXTENSION_create_by_OBJ(nil, object, extra.isCritical ? 1 : 0, value)
        else { return false }
        defer { X509_EXTENSION_free(made) }
        return X509_add_ext(certificate, made, -1) == 1
    }

    private static func add(_ part: (name: String, value: String), to name: OpaquePointer?) -> Bool {
        let value = Array(part.value.utf8)
        return X509_NAME_add_entry_by_txt(name, part.name, MBSTRING_UTF8, value, Int32(clamping: value.count), -1, 0)
            == 1
    }

    /// 16 random bytes, positive (RFC 5280, 4.1.2.2).
    private static func setSerialNumber(_ certificate: OpaquePointer) -> Bool {
        var bytes = RandomBytes.generate(16)
        bytes[0] = bytes[0] & 0x7F | 0x40
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { return false }
        defer { BN_free(number) }
        return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private static func setDates(_ certificate: OpaquePointer, _ notBefore: Date, _ notAfter: Date) -> Bool {
        ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(notBefore)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(notAfter)) != nil
    }

    private static func addExtensions(
        to certificate: OpaquePointer, issuer: OpaquePointer, isAuthority: Bool, usage: [X509KeyUsage]
    ) -> Bool {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        let extensions = [
            (NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"),
            (NID_key_usage, "critical," + usage.map(\.rawValue).joined(separator: ",")),
            (NID_subject_key_identifier, "hash"),
            (NID_authority_key_identifier, "keyid"),
        ]
        return extensions.allSatisfy { identifier, value in
            guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
            defer { X509_EXTENSION_free(made) }
            return X509_add_ext(certificate, made, -1) == 1
        }
    }

    /// Seconds since 1970, held to what OpenSSL can write as a date.
    static func seconds(_ date: Date) -> Int {
        // 9999-12-31T23:59:59Z, the end of GeneralizedTime (RFC 5280, 4.1.2.5).
        Int(exactly: max(-62_167_219_200, min(253_402_300_799, date.timeIntervalSince1970.rounded(.down)))) ?? 0
    }
}
