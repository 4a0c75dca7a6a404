// SPDX-License-Identifier: Apache-2.0

public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of every error that Wallet gives to an app.
@available(iOS 6.0, *)
public let PKPassKitErrorDomain = "PKPassKitErrorDomain"

/// An error of a pass or of the library. Its numbers share ``PKPassKitErrorDomain`` with ``PKAddPaymentPassError``, so
/// that 1 and 2 are ambiguous (numbers: Apple's PKError.h, `PKPassKitErrorCode`).
@available(iOS 6.0, *)
public struct PKPassKitError: CustomNSError, Hashable, Sendable {
    /// Why.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// Nobody knows.
        case unknownError = -1
        /// The data are no valid pass.
        case invalidDataError = 1
        /// The pass has an unsupported version.
        case unsupportedVersionError = 2
        /// The signature is not valid.
        case invalidSignature = 3
        /// The app lacks the entitlement.
        case notEntitledError = 4
    }

    /// Why.
    public let code: Code

    /// An error with its code.
    public init(_ code: Code) { self.code = code }

    /// ``PKPassKitErrorDomain``.
    public static var errorDomain: String { PKPassKitErrorDomain }
    /// The number of ``code``.
    public var errorCode: Int { code.rawValue }

    /// Nobody knows.
    public static var unknownError: Code { .unknownError }
    /// The data are no valid pass.
    public static var invalidDataError: Code { .invalidDataError }
    /// The pass has an unsupported version.
    public static var unsupportedVersionError: Code { .unsupportedVersionError }
    /// The signature is not valid.
    public static var invalidSignature: Code { .invalidSignature }
    /// The app lacks the entitlement.
    public static var notEntitledError: Code { .notEntitledError }
}

/// Why adding a card did not work; nothing finer reaches an app. The numbers stand in errors of
/// ``PKPassKitErrorDomain``.
@available(iOS 9.0, macCatalyst 13.1, visionOS 1.0, *)
public enum PKAddPaymentPassError: Int, Hashable, Sendable, CaseIterable {
    /// The app or the device cannot add cards.
    case unsupported = 0
    /// The user cancelled.
    case userCancelled = 1
    /// Wallet gave up.
    case systemCancelled = 2

    /// The error an app is given.
    var error: NSError {
        NSError(
            domain: PKPassKitErrorDomain, code: rawValue,
            userInfo: [NSLocalizedDescriptionKey: Self.texts[self] ?? "Wallet gave up."])
    }

    private static let texts: [Self: String] = [
        .unsupported: "This device cannot add the card.", .userCancelled: "The user cancelled.",
        .systemCancelled: "Could Not Add Card",
    ]
}
