// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// What a certified key is for, by the names of RFC 5280, 4.2.1.3.
public enum X509KeyUsage: String, Hashable, Sendable {
    /// Signatures over data.
    case digitalSignature
    /// Wrapping of keys.
    case keyEncipherment
    /// Agreement on keys.
    case keyAgreement
    /// Signatures on certificates.
    case keyCertSign
    /// Signatures on revocation lists.
    case cRLSign
}

/// An extension of a certificate (RFC 5280, 4.2).
public struct X509Extension: Hashable, Sendable {
    /// The object identifier in dotted numbers.
    public var identifier: String
    /// Whether who does not know it must refuse the certificate.
    public var isCritical: Bool
    /// The contents of its OCTET STRING: DER of what the identifier says.
    public var value: [UInt8]

    /// An extension.
    public init(identifier: String, isCritical: Bool, value: [UInt8]) {
        (self.identifier, self.isCritical, self.value) = (identifier, isCritical, value)
    }
}

extension X509Certificate {
    static func extensions(of certificate: OpaquePointer) -> [X509Extension] {
        (0..<max(0, X509_get_ext_count(certificate))).compactMap { index in
            guard let found = X509_get_ext(certificate, index) else { return nil }
            return X509Extension(
                identifier: dotted(X509_EXTENSION_get_object(found)),
                isCritical: X509_EXTENSION_get_critical(found) != 0,
                value: bytes(X509_EXTENSION_get_data(found)))
        }
    }
}
