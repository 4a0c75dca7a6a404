// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Why a key, a certificate, a signature or a sealed payload was not taken.
///
/// Compare ``code``; the texts are for people. No error holds key material, plaintext or file contents.
public struct CryptoError: Error, Hashable, Sendable {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Not a key of the kind that is wanted.
        public static let invalidKey = Code(rawValue: "invalidKey")
        /// A key protected by a passphrase; it is never asked for.
        public static let encryptedKey = Code(rawValue: "encryptedKey")
        /// Not a point on P-256.
        public static let invalidPoint = Code(rawValue: "invalidPoint")
        /// The tag of an AES-GCM message does not fit: wrong key, or changed data.
        public static let authenticationFailed = Code(rawValue: "authenticationFailed")
        /// A parameter out of its range, such as an IV of no bytes.
        public static let invalidParameter = Code(rawValue: "invalidParameter")
        /// Not an X.509 certificate.
        public static let invalidCertificate = Code(rawValue: "invalidCertificate")
        /// Not a sealed message (JWE) of the kind that is read here.
        public static let invalidMessage = Code(rawValue: "invalidMessage")
        /// Not a CMS signature, or one whose signature value does not verify.
        public static let invalidSignature = Code(rawValue: "invalidSignature")
        /// A sound signature, but over other content.
        public static let contentChanged = Code(rawValue: "contentChanged")
        /// A sound signature whose chain does not end in a given root.
        public static let untrusted = Code(rawValue: "untrusted")
        /// A sound signature whose chain is outside its dates.
        public static let expired = Code(rawValue: "expired")
        /// A file that cannot be opened or read.
        public static let unreadableFile = Code(rawValue: "unreadableFile")
        /// A key file that group or others can read or write.
        public static let filePermissions = Code(rawValue: "filePermissions")
        /// OpenSSL failed where it should not.
        public static let internalFailure = Code(rawValue: "internalFailure")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong, in one sentence without a full stop.
    public let reason: String
    /// What to do about it, if that is known.
    public let hint: String?

    /// An error value.
    public init(_ code: Code, _ reason: String, hint: String? = nil) {
        (self.code, self.reason, self.hint) = (code, reason, hint)
    }
}

extension CryptoError: CustomStringConvertible {
    /// The reason, with the hint if there is one.
    public var description: String { hint.map { "\(reason); \($0)" } ?? reason }
}

extension CryptoError {
    /// An internal failure with OpenSSL's own words for it (constant texts, never data); empties its error queue.
    static func openSSL(_ operation: String) -> CryptoError {
        let text = ERR_reason_error_string(ERR_peek_last_error()).map { ": " + String(cString: $0) } ?? ""
        ERR_clear_error()
        return CryptoError(.internalFailure, "OpenSSL could not \(operation)\(text)")
    }
}

/// Runs `body` and leaves OpenSSL's error queue of this thread empty, whatever happened.
func drainingErrors<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    defer { ERR_clear_error() }
    return try body()
}
