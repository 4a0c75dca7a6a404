// SPDX-License-Identifier: Apache-2.0

/// How card data are sealed for Wallet, by the raw names that apps and servers exchange.
public struct EncryptionScheme: RawRepresentable, Hashable, Sendable {
    /// The raw name.
    public let rawValue: String
    /// A scheme by its raw name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ECC_V2: ECDH on P-256, one round of a concatenation KDF, AES-256-GCM (``ECCv2``).
    public static let eccV2 = EncryptionScheme(rawValue: "EV_ECC_v2")
    /// RSA_V2: only its name and that it has a wrapped key are public. Refused.
    public static let rsaV2 = EncryptionScheme(rawValue: "EV_RSA_v2")

    /// Passes for ECC_V2 only.
    /// - Throws: `unsupportedScheme`.
    public func requireSupported() throws(ProvisioningError) {
        switch self {
        case .eccV2: return
        case .rsaV2:
            throw ProvisioningError(
                .unsupportedScheme,
                "RSA_V2 is not supported: its padding, key size and IV are not specified in public",
                hint: "ask for ECC_V2, which processors use today")
        default:
            throw ProvisioningError(
                .unsupportedScheme, "This encryption scheme is not known",
                hint: "the scheme that is supported is \(EncryptionScheme.eccV2.rawValue)")
        }
    }
}
