// SPDX-License-Identifier: Apache-2.0

@available(iOS 15.4, macCatalyst 17.0, *)
extension PaymentCardReaderSession.ReadError {
    /// The case's name, without what it carries: `invalidVASMerchants`.
    public var errorName: String { CaseName.of(self) }

    /// What is wrong and what to do, in English. Not what `localizedDescription` shows (see the article Choices).
    public var errorDescription: String {
        let text = Self.texts[errorName] ?? "The card could not be read."
        switch self {
        case .invalidVASMerchants(let reason?), .invalidVASRequestParameters(let reason?):
            return "\(text) Reason: \(reason)"
        case .unknown(let code): return "\(text) Code: \(code)."
        default: return text
        }
    }

    /// Apple does not publish its texts; these are ours.
    static let texts: [String: String] = [
        "readNotAllowed": "Reading is not allowed. Check the app's entitlement.",
        "readFromBackgroundError": "The app is in the background. Bring it to the foreground and prepare again.",
        "readerServiceConnectionError": "The reader service does not answer. Start it, or try again later.",
        "readerServiceError": "The reader service cannot read now. Try again; restart the service if it stays so.",
        "noReaderSession": "There is no session any more. Prepare the reader again.",
        "readerSessionExpired": "The session expired and could not be refreshed. Prepare the reader again.",
        "readerTokenExpired": "The token's time is over. Get a new one and prepare the reader again.",
        "readerSessionNetworkError": "The session could not be refreshed. Check the network and try again.",
        "readerSessionAuthenticationError": "The server refused to refresh the session. Prepare the reader again.",
        "readerSessionBusy": "Another read is going on. Wait for its end, or cancel it.",
        "readCancelled": "The read was cancelled.",
        "invalidAmount": "The amount must be more than zero, with fewer than 10 digits and the currency's decimals.",
        "invalidCurrencyCode": "The currency must be an ISO 4217 code such as EUR.",
        "invalidPreferredAID": "A preferred application identifier must be 5 to 16 bytes long, four at most.",
        "nfcDisabled": "NFC is switched off. Switch it on in Settings.",
        "readNotAllowedDuringCall": "A phone call is going on. Read again when it is over.",
        "passcodeDisabled": "The device has no passcode. Set one in Settings.",
        "cardReadFailed": "The card could not be read. Hold it to the reader again, or use another card.",
        "vasReadFail": "The pass could not be read. Ask for a phone that has the pass in Wallet.",
        "paymentReadFailed": "The payment could not be read. Try again.",
        "paymentCardDeclined": "The card declined. Ask for another card.",
        "invalidVASMerchants": "The list of loyalty merchants is not valid. Correct the request.",
        "invalidVASRequestParameters": "The loyalty request is not valid. Correct it.",
        "pinEntryFailed": "The PIN could not be captured. Read the card again.",
        "pinTokenInvalid": "The PIN token is not valid. Ask your payment provider for a new one.",
        "pinEntryTimeout": "The PIN was not entered in time. Read the card again.",
        "pinCancelled": "The entry of the PIN was cancelled.",
        "pinNotAllowed": "A PIN may not be captured now. Read the card again.",
        "storeAndForwardDeclineFailed": "It is too late to decline the stored read.",
        "storeAndForwardResultNotFound": "There is no stored read to decline.",
        "unknown": "Something unexpected happened. Report the code.",
        "readerNotAvailable": "The reader is not available. Check that it is connected and try again in some seconds.",
        "readerInitializationFailed": "The reader could not be initialised. Try again.",
        "cardNotSupported": "The reader does not take this card. Ask for another one.",
    ]
}
