// SPDX-License-Identifier: Apache-2.0

/// How a read ended, in the words of the outcome record (EMV Contactless Book A, chapter 6; Book B, 3.5).
public struct EMVOutcome: Hashable, Sendable {
    /// What the reader is to do.
    public enum Value: String, Hashable, Sendable {
        /// The card approved offline. At a test counter this is a read, never a payment.
        case approved
        /// The card gave a cryptogram for the issuer.
        case onlineRequest
        /// The card declined.
        case declined
        /// Present the same card again; see the start point.
        case tryAgain
        /// This application will not do; the next candidate is tried.
        case selectNext
        /// Insert or swipe the card.
        case tryAnotherInterface
        /// This card cannot be read here; another may.
        case endApplication
        /// The cardholder must enter a PIN for the issuer.
        case requestOnlinePIN
    }

    /// Where the entry point goes on (Book B, 3.1 to 3.4).
    public enum Start: String, Hashable, Sendable {
        /// Pre-processing.
        case a = "A"
        /// Protocol activation: the field on, then the PPSE.
        case b = "B"
        /// Combination selection.
        case c = "C"
        /// Kernel activation.
        case d = "D"
    }

    /// What an online answer may bring back to the card.
    public enum OnlineResponse: String, Hashable, Sendable {
        /// EMV data for the card.
        case emvData
        /// Any answer restarts.
        case any
    }

    /// How the cardholder was, or is to be, verified.
    public enum Verification: String, Hashable, Sendable {
        /// No method is needed.
        case noCVM
        /// A signature on paper.
        case signature
        /// A PIN for the issuer.
        case onlinePIN
        /// The device verified its owner (confirmation code verified).
        case confirmationCodeVerified
    }

    /// Another way to use the card.
    public enum AlternateInterface: String, Hashable, Sendable {
        /// Insert it.
        case contactChip
        /// Swipe it.
        case magneticStripe
    }

    /// What to do.
    public var value: Value
    /// Why, in words that hold no card data.
    public var reason: EMVReason
    /// Where to go on, for `tryAgain` and `selectNext`.
    public var start: Start?
    /// For an online request.
    public var onlineResponse: OnlineResponse?
    /// How the cardholder is verified; nil where the kernel did not come so far.
    public var verification: Verification?
    /// Message to show now.
    public var uiRequestOnOutcome: UIRequest?
    /// Message to show when the reader starts again.
    public var uiRequestOnRestart: UIRequest?
    /// For `tryAnotherInterface`.
    public var alternateInterface: AlternateInterface?
    /// Whether a receipt is to be offered.
    public var receipt = false
    /// Whether a data record (the card's objects for the acquirer) goes with the outcome.
    public var hasDataRecord = false
    /// Whether discretionary data go with the outcome.
    public var hasDiscretionaryData = false
    /// How long the field stays off before a restart; nil leaves it on.
    public var fieldOff: Duration?
    /// How long the reader waits for the card's removal; zero does not wait.
    public var removalTimeout: Duration = .zero

    /// An outcome with no further fields.
    public init(_ value: Value, _ reason: EMVReason) { (self.value, self.reason) = (value, reason) }

    /// Read: a cryptogram for the issuer.
    static func onlineRequest(_ verification: Verification) -> EMVOutcome {
        var outcome = EMVOutcome(.onlineRequest, .onlineCryptogram)
        outcome.verification = verification
        outcome.onlineResponse = .any
        (outcome.hasDataRecord, outcome.hasDiscretionaryData) = (true, true)
        outcome.uiRequestOnOutcome = UIRequest(.cardReadOK, .cardReadSuccessfully)
        return outcome
    }

    /// Read: the card approved offline.
    static func approved(_ verification: Verification) -> EMVOutcome {
        var outcome = EMVOutcome(.approved, .approvedOffline)
        outcome.verification = verification
        outcome.receipt = verification == .signature
        (outcome.hasDataRecord, outcome.hasDiscretionaryData) = (true, true)
        let message: UIMessage = verification == .signature ? .approvedSign : .approved
        outcome.uiRequestOnOutcome = UIRequest(message, .cardReadSuccessfully)
        return outcome
    }

    /// The card, or a check of its data, declined.
    static func declined(_ reason: EMVReason) -> EMVOutcome {
        var outcome = EMVOutcome(.declined, reason)
        (outcome.hasDataRecord, outcome.hasDiscretionaryData) = (true, true)
        outcome.uiRequestOnOutcome = UIRequest(.declined, .cardReadSuccessfully)
        return outcome
    }

    /// Another card may do.
    static func endApplication(_ reason: EMVReason) -> EMVOutcome {
        var outcome = EMVOutcome(.endApplication, reason)
        outcome.uiRequestOnOutcome = UIRequest(.tryAnotherCard, .processingError)
        outcome.hasDiscretionaryData = true
        return outcome
    }

    /// Insert or swipe it.
    static func tryAnotherInterface(_ reason: EMVReason) -> EMVOutcome {
        var outcome = EMVOutcome(.tryAnotherInterface, reason)
        outcome.alternateInterface = .contactChip
        outcome.uiRequestOnOutcome = UIRequest(.insertCard, .processingError)
        return outcome
    }

    /// The next candidate.
    static func selectNext(_ reason: EMVReason) -> EMVOutcome {
        var outcome = EMVOutcome(.selectNext, reason)
        outcome.start = .c
        return outcome
    }

    /// The person must look at the phone; then the PPSE again (Book C-3, 5.2.2.2; hold time as Book A, table 6-1).
    static func seePhone() -> EMVOutcome {
        var outcome = EMVOutcome(.tryAgain, .seePhone)
        outcome.start = .b
        outcome.uiRequestOnOutcome = UIRequest(.seePhone, .processingError, hold: .milliseconds(1300))
        outcome.uiRequestOnRestart = UIRequest(.seePhone, .readyToRead)
        outcome.fieldOff = .milliseconds(1300)
        return outcome
    }
}

/// A message for the person at the reader (Book A, 9.2 and 9.3).
public struct UIRequest: Hashable, Sendable {
    /// Message identifier.
    public let message: UIMessage
    /// State of the reader.
    public let status: UIStatus
    /// How long the message stays at least.
    public let hold: Duration

    /// A request.
    public init(_ message: UIMessage, _ status: UIStatus, hold: Duration = .zero) {
        (self.message, self.status, self.hold) = (message, status, hold)
    }
}

/// Message identifiers (Book A, table 9-4). Open: any byte is kept.
public struct UIMessage: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The identifier.
    public let rawValue: UInt8
    /// Any identifier.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Approved.
    public static let approved = UIMessage(rawValue: 0x03)
    /// Declined.
    public static let declined = UIMessage(rawValue: 0x07)
    /// Enter the PIN.
    public static let enterPIN = UIMessage(rawValue: 0x09)
    /// Present the card.
    public static let presentCard = UIMessage(rawValue: 0x15)
    /// The card is read: take it away.
    public static let cardReadOK = UIMessage(rawValue: 0x17)
    /// Approved: sign.
    public static let approvedSign = UIMessage(rawValue: 0x1A)
    /// Insert, swipe or try another card.
    public static let tryAnotherCard = UIMessage(rawValue: 0x1C)
    /// Insert the card.
    public static let insertCard = UIMessage(rawValue: 0x1D)
    /// See the phone for instructions.
    public static let seePhone = UIMessage(rawValue: 0x20)
    /// Present the card again.
    public static let presentCardAgain = UIMessage(rawValue: 0x21)

    /// The message in words.
    public var description: String { Self.texts[self] ?? "Message \(rawValue)" }

    private static let texts: [UIMessage: String] = [
        .approved: "Approved", .declined: "Declined", .enterPIN: "Enter PIN", .presentCard: "Present card",
        .cardReadOK: "Card read, please remove it", .approvedSign: "Approved, please sign",
        .tryAnotherCard: "Insert, swipe or try another card", .insertCard: "Please insert card",
        .seePhone: "See phone for instructions", .presentCardAgain: "Present card again",
    ]
}

/// What the reader shows it is doing (Book A, table 9-5).
public enum UIStatus: UInt8, Hashable, Sendable {
    /// Not in use.
    case notReady = 0
    /// Between transactions.
    case idle = 1
    /// Waiting for a card.
    case readyToRead = 2
    /// A card is being read.
    case processing = 3
    /// The card may go.
    case cardReadSuccessfully = 4
    /// Something is wrong.
    case processingError = 5
}

/// Why an outcome is what it is. Open; ``text`` is for people.
public struct EMVReason: Hashable, Sendable, CustomStringConvertible {
    /// Stable name.
    public let code: String
    /// In words, without card data.
    public let text: String

    /// A reason.
    public init(code: String, text: String) { (self.code, self.text) = (code, text) }

    /// The words.
    public var description: String { text }

    /// The same reason with more words.
    func adding(_ detail: String) -> EMVReason { EMVReason(code: code, text: "\(text): \(detail)") }

    /// The card gave a cryptogram for the issuer.
    public static let onlineCryptogram = EMVReason(
        code: "onlineCryptogram", text: "The card asks for online authorisation")
    /// The card approved offline.
    public static let approvedOffline = EMVReason(code: "approvedOffline", text: "The card approved offline")
    /// The card declined.
    public static let cardDeclined = EMVReason(code: "cardDeclined", text: "The card declined")
    /// No combination is configured.
    public static let nothingConfigured = EMVReason(
        code: "nothingConfigured", text: "No contactless application is configured")
    /// No combination is allowed for this amount.
    public static let notAllowedContactless = EMVReason(
        code: "notAllowedContactless", text: "This amount is not allowed contactless")
    /// The card has no PPSE.
    public static let notAPaymentCard = EMVReason(
        code: "notAPaymentCard", text: "This is not a contactless payment card")
    /// The PPSE lists nothing that the reader has.
    public static let noSupportedApplication = EMVReason(
        code: "noSupportedApplication", text: "The card has no application that this reader supports")
    /// The card refused an application.
    public static let applicationRefused = EMVReason(
        code: "applicationRefused", text: "The card refused the application")
    /// The person must look at the phone.
    public static let seePhone = EMVReason(code: "seePhone", text: "The phone asks its owner to do something first")
    /// The card wants another interface.
    public static let otherInterface = EMVReason(
        code: "otherInterface", text: "The card wants to be inserted or swiped")
    /// The PDOL does not ask for the terminal transaction qualifiers.
    public static let qualifiersNotAsked = EMVReason(
        code: "qualifiersNotAsked", text: "The application does not ask for the terminal transaction qualifiers")
    /// The application name in the answer is not the one selected.
    public static let wrongApplication = EMVReason(
        code: "wrongApplication", text: "The card answered with another application")
    /// A card that only does mag-stripe mode.
    public static let magStripeMode = EMVReason(
        code: "magStripeMode", text: "The card only offers mag-stripe mode, which is switched off")
    /// Data that must be there are not.
    public static let dataMissing = EMVReason(code: "dataMissing", text: "The card left out mandatory data")
    /// A record could not be read.
    public static let recordMissing = EMVReason(code: "recordMissing", text: "A record could not be read")
    /// What the card sent makes no sense.
    public static let malformedData = EMVReason(code: "malformedData", text: "The card sent data that make no sense")
    /// Offline data authentication failed.
    public static let authenticationFailed = EMVReason(
        code: "authenticationFailed", text: "Offline data authentication failed")
    /// The application is expired.
    public static let expired = EMVReason(code: "expired", text: "The application is expired")
    /// A cardholder verification failed or is not possible here.
    public static let verificationFailed = EMVReason(
        code: "verificationFailed", text: "The cardholder could not be verified")
    /// The terminal's or issuer's action codes deny.
    public static let actionCodes = EMVReason(
        code: "actionCodes", text: "The action codes decline what the reader found")
    /// The card was read, but this kernel ends without a cryptogram.
    public static let readOnly = EMVReason(
        code: "readOnly", text: "The card was read; this kernel goes no further here")
    /// The reader has no such kernel.
    public static let noKernel = EMVReason(code: "noKernel", text: "The reader has no kernel for this application")
}
