// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Date

/// Why preparing a reader or linking an account did not work.
///
/// A plain `Error`, as Apple has it: not `LocalizedError`, not `Equatable`. The order of the cases is Apple's, because
/// the number in `(error as NSError).code` follows from it; the cases of iOS 26 stand last.
@available(iOS 15.4, macCatalyst 17.0, *)
public enum PaymentCardReaderError: Error, Sendable {
    /// The app may not use the reader: entitlement, bundle, configuration or token.
    case notAllowed
    /// The request came while the app was in the background.
    case backgroundRequestNotAllowed
    /// The hardware is not supported, or faulty.
    case unsupported
    /// The operating system is too old.
    case osVersionNotSupported
    /// The device model is not supported.
    case modelNotSupported
    /// The device has no passcode.
    case passcodeDisabled
    /// The server cannot be reached.
    case networkError
    /// Authentication on the connection failed.
    case networkAuthenticationError
    /// An internal service is not available, or the app was closed while the reader was being configured.
    case serviceConnectionError
    /// The session is not ready; prepare again.
    case notReady
    /// The token is an empty string.
    case emptyReaderToken
    /// The token is not valid; the text says why.
    case invalidReaderToken(String?)
    /// Preparation failed; the text says why.
    case prepareFailed(String?)
    /// Too much time passed since the preparation.
    case prepareExpired
    /// The token's time is over.
    case tokenExpired
    /// The device is barred until the date.
    case deviceBanned(Date?)
    /// The reader's memory is full.
    case readerMemoryFull
    /// Another preparation is running.
    case readerBusy
    /// The merchant has not accepted the terms.
    case accountNotLinked
    /// The merchant has accepted the terms before.
    case accountAlreadyLinked
    /// The account could not be linked.
    case accountLinkingFailed
    /// Nobody is signed in to iCloud.
    case accountLinkingRequiresiCloudSignIn
    /// The merchant dismissed the terms.
    case accountLinkingCancelled
    /// Whether the account is linked could not be found out.
    @available(iOS 16.4, *)
    case accountLinkingCheckFailed
    /// The merchant is restricted.
    case merchantBlocked
    /// The merchant deactivated the linked account.
    @available(iOS 17.0, *)
    case accountDeactivated
    /// The merchant data in the token are wrong or missing.
    case invalidMerchant
    /// Store and forward is not allowed now.
    @available(iOS 18.4, *)
    case storeAndForwardNotAllowed
    /// The store-and-forward session takes no more reads.
    @available(iOS 18.4, *)
    case storeAndForwardSessionExpired
    /// An online session must be prepared first.
    @available(iOS 18.4, *)
    case storeAndForwardSessionInvalidated
    /// The stored payments belong to another token issuer.
    @available(iOS 18.4, *)
    case storeAndForwardTokenIssuerChanged
    /// Anything unexpected, with its code (iOS 18).
    case unknown(code: Int)
    /// The app went to the background before the request was done.
    @available(iOS 26.0, *)
    case requestInterrupted
}
