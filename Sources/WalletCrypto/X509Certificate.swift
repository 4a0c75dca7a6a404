// SPDX-License-Identifier: Apache-2.0

import COpenSSL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An X.509 certificate (RFC 5280), read once into values.
public struct X509Certificate: Hashable, Sendable {
    /// The certificate in DER.
    public let der: [UInt8]
    /// The subject's name as RFC 2253 writes it, last part first: `CN=…,OU=…,UID=…`.
    public let subject: String
    /// The issuer's name as RFC 2253 writes it.
    public let issuer: String
    /// The serial number, big endian, without a sign byte.
    public let serialNumber: [UInt8]
    /// From when the certificate is valid.
    public let notBefore: Date
    /// Until when the certificate is valid.
    public let notAfter: Date
    /// The certified key if it is one on P-256, else nil.
    public let publicKey: P256PublicKey?
    /// The extensions in their order.
    public let extensions: [X509Extension]
    /// Whether the certificate may sign others (basicConstraints, RFC 5280 4.2.1.9).
    public let isAuthority: Bool
    /// The certified key as SubjectPublicKeyInfo in DER, whatever its kind.
    public let subjectPublicKeyInfo: [UInt8]
    private let subjectFields: [NameField]

    private struct NameField: Hashable, Sendable {
        var names: [String]
        var value: String
    }

    static let pemLabels: Set<String> = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]

    /// A certificate from DER, and nothing after it.
    /// - Throws: `invalidCertificate`.
    public init(der: some Collection<UInt8>) throws(CryptoError) {
        self = try drainingErrors { () throws(CryptoError) in
            let pointer = try X509Pointer(der: der)
            return try X509Certificate(pointer.pointer)
        }
    }

    /// The first certificate in a PEM text.
    /// - Throws: `invalidCertificate`.
    public init(pem text: String) throws(CryptoError) {
        guard let block = TextForms.pemBlocks(Array(text.utf8)).first(where: { Self.pemLabels.contains($0.label) })
        else {
            throw CryptoError(.invalidCertificate, "There is no CERTIFICATE block in this text")
        }
        try self.init(der: block.der)
    }

    /// A certificate from the bytes of a file, PEM or DER.
    /// - Throws: `invalidCertificate`.
    public init(reading bytes: [UInt8]) throws(CryptoError) {
        if bytes.first == DERTag.sequence {
            try self.init(der: bytes)
        } else {
            try self.init(pem: String(decoding: PrivateKeyReader.plainText(bytes), as: UTF8.self))
        }
    }

    /// The values of a part of the subject's name: by short name (`CN`, `OU`, `O`, `UID`), long name or dotted number.
    public func subjectValues(for name: String) -> [String] {
        subjectFields.filter { $0.names.contains(name) }.map(\.value)
    }

    /// The certificate as a `CERTIFICATE` block.
    public func pem() -> String { String(decoding: TextForms.pem(label: "CERTIFICATE", der), as: UTF8.self) }

    /// The values of an X509, which stays the caller's.
    init(_ pointer: OpaquePointer) throws(CryptoError) {
        guard let der = encoded({ i2d_X509(pointer, $0) }), let notBefore = Self.date(X509_get0_notBefore(pointer)),
            let notAfter = Self.date(X509_get0_notAfter(pointer))
        else { throw CryptoError(.invalidCertificate, "This certificate cannot be read") }
        self.der = der
        (self.notBefore, self.notAfter) = (notBefore, notAfter)
        subject = Self.text(X509_get_subject_name(pointer))
        issuer = Self.text(X509_get_issuer_name(pointer))
        serialNumber = Self.bytes(X509_get0_serialNumber(pointer))
        subjectFields = Self.fields(X509_get_subject_name(pointer))
        extensions = Self.extensions(of: pointer)
        isAuthority = X509_check_ca(pointer) > 0
        let info = encoded { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0) }
        subjectPublicKeyInfo = info ?? []
        publicKey = info.flatMap { try? P256PublicKey(subjectPublicKeyInfo: $0) }
    }

    static func bytes(_ string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
        guard let string, let data = ASN1_STRING_get0_data(string) else { return [] }
        return Array(UnsafeBufferPointer(start: data, count: max(0, Int(ASN1_STRING_length(string)))))
    }

    static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_STRING_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Date(timeIntervalSince1970: Double(days) * 86400 + Double(seconds))
    }

    private static func text(_ name: OpaquePointer?) -> String {
        guard let name, let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        // UTF-8 as it is, everything that RFC 2253 wants escaped as it wants.
        guard X509_NAME_print_ex(bio, name, 0, countertop_name_flags()) >= 0 else { return "" }
        var data: UnsafeMutablePointer<UInt8>?
        let count = countertop_bio_bytes(bio, &data)
        return String(decoding: UnsafeBufferPointer(start: data, count: max(0, Int(count))), as: UTF8.self)
    }

    private static func fields(_ name: OpaquePointer?) -> [NameField] {
        (0..<max(0, X509_NAME_entry_count(name))).compactMap { index in
            guard let entry = X509_NAME_get_entry(name, index), let object = X509_NAME_ENTRY_get_object(entry),
                let data = X509_NAME_ENTRY_get_data(entry)
            else { return nil }
            var utf8: UnsafeMutablePointer<UInt8>?
            let count = ASN1_STRING_to_UTF8(&utf8, data)
            guard count >= 0 else { return nil }
            defer { countertop_free(utf8) }
            let value = String(decoding: UnsafeBufferPointer(start: utf8, count: Int(count)), as: UTF8.self)
            return NameField(names: names(of: object), value: value)
        }
    }

    private static func names(of object: OpaquePointer) -> [String] {
        let nid = OBJ_obj2nid(object)
        guard nid != NID_undef else { return [dotted(object)] }
        return [OBJ_nid2sn(nid), OBJ_nid2ln(nid)].compactMap { $0.map { String(cString: $0) } } + [dotted(object)]
    }

    /// An object identifier in dotted numbers.
    static func dotted(_ object: OpaquePointer?) -> String {
        var text = [CChar](repeating: 0, count: 128)
        OBJ_obj2txt(&text, Int32(text.count), object, 1)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension X509Certificate: CustomStringConvertible {
    /// The subject's name.
    public var description: String { subject }
}

/// An X509 and its release.
final class X509Pointer {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    init(der: some Collection<UInt8>) throws(CryptoError) {
        let (certificate, used) = withBytes(der) { bytes in
            var next = bytes.octets
            let certificate = next == nil ? nil : d2i_X509(nil, &next, bytes.count)
            return (certificate, next == bytes.octets?.advanced(by: bytes.count))
        }
        guard let certificate, used else {
            X509_free(certificate)
            throw drainingErrors { CryptoError(.invalidCertificate, "This is not an X.509 certificate in DER") }
        }
        pointer = certificate
    }

    deinit { X509_free(pointer) }
}
