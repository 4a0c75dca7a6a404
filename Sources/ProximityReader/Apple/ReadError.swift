// SPDX-License-Identifier: Apache-2.0

@available(iOS 15.4, macCatalyst 17.0, *)
extension PaymentCardReaderSession {
    /// Why a read brought no result.
    ///
    /// A plain `Error`, as Apple has it: not `LocalizedError`, not `Equatable`. The order of the cases is Apple's, because
    /// the number in `(error as NSError).code` follows from it (`readCancelled` is 13); the cases of iOS 26 stand last.
    public enum ReadError: Error, Sendable {
        /// Reading is not allowed now; most often an entitlement is missing.
        case readNotAllowed
        /// The app is in the background.
        case readFromBackgroundError
        /// The system's reader service cannot be reached.
        case readerServiceConnectionError
        /// The system's reader service is in a state that does not allow reading.
        case readerServiceError
        /// There is no session, or it is not ready any more; prepare first.
        case noReaderSession
        /// The session expired and could not be refreshed.
        case readerSessionExpired
        /// The token that the session was prepared with expired.
        case readerTokenExpired
        /// The network kept the session from being refreshed.
        case readerSessionNetworkError
        /// Authentication failed while the session was being refreshed.
        case readerSessionAuthenticationError
        /// Another read is on the screen.
        case readerSessionBusy
        /// The read was cancelled: the merchant closed the sheet, or the app called `cancelRead`.
        case readCancelled
        /// The amount is negative, zero or too long.
        case invalidAmount
        /// The currency is not an ISO 4217 code.
        case invalidCurrencyCode
        /// A preferred application identifier is not 5 to 16 bytes long, or there are too many.
        @available(iOS 16.4, *)
        case invalidPreferredAID
        /// NFC is switched off.
        case nfcDisabled
        /// A phone call is going on.
        case readNotAllowedDuringCall
        /// The device has no passcode.
        case passcodeDisabled
        /// The card could not be read.
        case cardReadFailed
        /// The pass could not be read.
        case vasReadFail
        /// The payment could not be read.
        case paymentReadFailed
        /// The card itself declined.
        case paymentCardDeclined
        /// The list of loyalty merchants is not valid; the text says why.
        case invalidVASMerchants(String?)
        /// Another part of the loyalty request is not valid; the text says why.
        case invalidVASRequestParameters(String?)
        /// The PIN could not be captured.
        @available(iOS 16.0, *)
        case pinEntryFailed
        /// The PIN token is not valid.
        @available(iOS 16.0, *)
        case pinTokenInvalid
        /// The PIN was not entered in time.
        @available(iOS 16.0, *)
        case pinEntryTimeout
        /// The entry of the PIN was cancelled.
        @available(iOS 16.0, *)
        case pinCancelled
        /// A PIN may not be captured now.
        @available(iOS 16.0, *)
        case pinNotAllowed
        /// It is too late to decline the stored read.
        @available(iOS 18.4, *)
        case storeAndForwardDeclineFailed
        /// There is no stored read to decline.
        @available(iOS 18.4, *)
        case storeAndForwardResultNotFound
        /// Anything unexpected, with its code (iOS 18.4).
        case unknown(code: Int)
        /// The reader is not available at the moment; try again in some seconds.
        @available(iOS 26.0, *)
        case readerNotAvailable
        /// The reader could not be initialised; try again.
        @available(iOS 26.0, *)
        case readerInitializationFailed
        /// The card is not supported by the reader's configuration.
        @available(iOS 26.0, *)
        case cardNotSupported
    }
}
