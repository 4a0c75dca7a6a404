// SPDX-License-Identifier: Apache-2.0

@available(iOS 15.4, macCatalyst 17.0, *)
extension PaymentCardReader {
    /// What happens while a reader is prepared and while its sheet is up.
    ///
    /// The order in which they come is in the article Choices. Neither `Equatable` nor `Hashable`, as Apple has it.
    @available(iOS 16.0, *)
    public enum Event: Sendable {
        /// So many percent of the configuration are done, 1 to 100.
        case updateProgress(Int)
        /// The session is lost; prepare again.
        case notReady
        /// The sheet is up: hold the card or the phone to the reader.
        case readyForTap
        /// A card is in the field; from here on the read cannot be cancelled.
        case cardDetected
        /// The exchange is done; the card may go.
        case removeCard
        /// The read is done and brings a result.
        case readCompleted
        /// The card left too early or wants the customer to act: hold it to the reader once more.
        case readRetry
        /// The read was cancelled.
        case readCancelled
        /// The read ended without a result.
        case readNotCompleted
        /// The customer is asked for a PIN.
        case pinEntryRequested
        /// The customer entered a PIN.
        case pinEntryCompleted
        /// The sheet is gone.
        @available(iOS 16.4, *)
        case userInterfaceDismissed

        /// The case's name, without what it carries: `updateProgress`.
        public var name: String { CaseName.of(self) }
    }

    /// What happens while a reader is prepared.
    @available(*, deprecated, renamed: "PaymentCardReader.Event")
    public enum UpdateEvent: Sendable {
        /// So many percent of the configuration are done, 1 to 100.
        case progress(Int)
        /// The session is lost; prepare again.
        case notReady

        /// The case's name, without what it carries: `progress`.
        public var name: String { CaseName.of(self) }
    }
}

@available(iOS 15.4, macCatalyst 17.0, *)
extension PaymentCardReaderSession {
    /// What happens while the sheet is up, in the words of iOS 15.
    @available(*, deprecated, renamed: "PaymentCardReader.Event")
    public enum Event: Sendable, Hashable {
        /// The sheet is up: hold the card or the phone to the reader.
        case readyForTap
        /// A card is in the field.
        case cardDetected
        /// The exchange is done; the card may go.
        case removeCard
        /// The read is done and brings a result.
        case completed
        /// Hold the card to the reader once more.
        case retry
        /// The read was cancelled.
        case readCancelled
        /// The read ended without a result.
        case readNotCompleted

        /// The case's name: `completed`.
        public var name: String { CaseName.of(self) }

        /// The old word for a new event; nil for those that came later.
        init?(_ event: PaymentCardReader.Event) {
            switch event {
            case .readyForTap: self = .readyForTap
            case .cardDetected: self = .cardDetected
            case .removeCard: self = .removeCard
            case .readCompleted: self = .completed
            case .readRetry: self = .retry
            case .readCancelled: self = .readCancelled
            case .readNotCompleted: self = .readNotCompleted
            case .updateProgress, .notReady, .pinEntryRequested, .pinEntryCompleted, .userInterfaceDismissed:
                return nil
            }
        }
    }
}
