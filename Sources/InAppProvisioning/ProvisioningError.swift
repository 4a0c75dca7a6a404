// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

/// Why a request, a chain, an envelope, a payload or a profile was not taken.
///
/// Compare ``code``; the texts are for people. No error holds a card number, a blob, a key or a nonce signature.
public struct ProvisioningError: Error, Hashable, Sendable {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An encryption scheme that nobody has specified in public, such as RSA_V2.
        public static let unsupportedScheme = Code(rawValue: "unsupportedScheme")
        /// An envelope of a wrong shape: too short, or a key that is no point.
        public static let invalidEnvelope = Code(rawValue: "invalidEnvelope")
        /// The tag of an envelope does not fit.
        public static let authenticationFailed = Code(rawValue: "authenticationFailed")
        /// Text that is not JSON, or more of it than is taken.
        public static let invalidJSON = Code(rawValue: "invalidJSON")
        /// A plaintext that is not card data as Wallet wants it.
        public static let invalidPayload = Code(rawValue: "invalidPayload")
        /// Card data that cannot be those of a card.
        public static let invalidCard = Code(rawValue: "invalidCard")
        /// A certificate chain that an issuer must refuse.
        public static let invalidChain = Code(rawValue: "invalidChain")
        /// A request that is not what its profile says.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// An answer that is not what its profile says.
        public static let invalidResponse = Code(rawValue: "invalidResponse")
        /// A profile that cannot be used.
        public static let invalidProfile = Code(rawValue: "invalidProfile")
        /// Activation data that are not what they claim to be.
        public static let invalidActivation = Code(rawValue: "invalidActivation")
        /// The cryptography failed where it should not.
        public static let internalFailure = Code(rawValue: "internalFailure")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong, in one sentence without a full stop.
    public let reason: String
    /// What to do about it, if that is known.
    public let hint: String?
    /// Where in the bytes, if that is known.
    public let offset: Int?

    /// An error value.
    public init(_ code: Code, _ reason: String, hint: String? = nil, offset: Int? = nil) {
        (self.code, self.reason, self.hint, self.offset) = (code, reason, hint, offset)
    }

    /// A failure of the cryptography that is not about the data.
    init(internal error: CryptoError) { self.init(.internalFailure, error.reason, hint: error.hint) }
}

extension ProvisioningError: CustomStringConvertible {
    /// The reason, with place and hint if there are any.
    public var description: String {
        reason + (offset.map { " (byte \($0))" } ?? "") + (hint.map { "; \($0)" } ?? "")
    }
}
