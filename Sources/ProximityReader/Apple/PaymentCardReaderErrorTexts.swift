// SPDX-License-Identifier: Apache-2.0

internal import Foundation

@available(iOS 15.4, macCatalyst 17.0, *)
extension PaymentCardReaderError {
    /// The case's name, without what it carries: `invalidReaderToken`.
    public var errorName: String { CaseName.of(self) }

    /// What is wrong and what to do, in English. Not what `localizedDescription` shows (see the article Choices).
    public var errorDescription: String {
        let text = Self.texts[errorName] ?? "The reader could not be prepared."
        switch self {
        case .invalidReaderToken(let reason?), .prepareFailed(let reason?): return "\(text) Reason: \(reason)"
        case .deviceBanned(let date?): return "\(text) Barred until \(date.formatted(.iso8601))."
        case .unknown(let code): return "\(text) Code: \(code)."
        default: return text
        }
    }

    /// Apple does not publish its texts; these are ours.
    static let texts: [String: String] = [
        "notAllowed": "This app may not use the reader. Check its entitlement, its configuration and the token.",
        "backgroundRequestNotAllowed": "The app is in the background. Bring it to the foreground and ask again.",
        "unsupported": "This hardware cannot read cards. Use another device.",
        "osVersionNotSupported": "The operating system is too old. Update it.",
        "modelNotSupported": "This device model cannot read cards. Use a newer one.",
        "passcodeDisabled": "The device has no passcode. Set one in Settings.",
        "networkError": "The server cannot be reached. Check the network and try again.",
        "networkAuthenticationError": "The server refused the connection. Check the network's proxy and certificates.",
        "serviceConnectionError": "The reader service does not answer. Start it, or try again later.",
        "notReady": "The session is not ready. Prepare the reader again.",
        "emptyReaderToken": "The token is empty. Ask your payment provider for one.",
        "invalidReaderToken": "The token is not valid. Ask your payment provider for a new one.",
        "prepareFailed": "The reader could not be prepared. Try again.",
        "prepareExpired": "Too much time passed since the reader was prepared. Prepare it again.",
        "tokenExpired": "The token's time is over. Ask your payment provider for a new one.",
        "deviceBanned": "This device is barred for security reasons. Wait, or use another device.",
        "readerMemoryFull": "The reader's memory is full. Remove what is not needed and try again.",
        "readerBusy": "The reader is being prepared already. Wait for that to end.",
        "accountNotLinked": "The merchant has not accepted the terms. Call linkAccount first.",
        "accountAlreadyLinked": "The merchant accepted the terms before. Go on with prepare.",
        "accountLinkingFailed": "The account could not be linked. Check the merchant's Apple Account.",
        "accountLinkingRequiresiCloudSignIn": "Nobody is signed in to iCloud. Sign in, then link the account.",
        "accountLinkingCancelled": "The terms were dismissed. Link the account again to go on.",
        "accountLinkingCheckFailed": "Whether the account is linked could not be found out. Try again.",
        "merchantBlocked": "This merchant is restricted. Ask your payment provider.",
        "accountDeactivated": "The merchant deactivated the linked account. Link it again.",
        "invalidMerchant": "The token's merchant is missing or wrong. Ask your payment provider for a new token.",
        "storeAndForwardNotAllowed": "Store and forward is not allowed now. Prepare an online session first.",
        "storeAndForwardSessionExpired": "This session stores no more reads. Prepare an online session.",
        "storeAndForwardSessionInvalidated": "The stored session is not valid any more. Prepare an online session.",
        "storeAndForwardTokenIssuerChanged": "The stored payments belong to another token issuer. Use its token.",
        "unknown": "Something unexpected happened. Report the code.",
        "requestInterrupted": "The app went to the background before the request was done. Ask again.",
    ]
}
