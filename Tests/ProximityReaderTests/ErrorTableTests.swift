// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ProximityReader

@Suite("Error enums: order, codes, names, texts")
struct ErrorTableTests {
    typealias ReadError = PaymentCardReaderSession.ReadError

    /// Every case in Apple's order.
    static let readErrors: [ReadError] = [
        .readNotAllowed, .readFromBackgroundError, .readerServiceConnectionError, .readerServiceError,
        .noReaderSession, .readerSessionExpired, .readerTokenExpired, .readerSessionNetworkError,
        .readerSessionAuthenticationError, .readerSessionBusy, .readCancelled, .invalidAmount, .invalidCurrencyCode,
        .invalidPreferredAID, .nfcDisabled, .readNotAllowedDuringCall, .passcodeDisabled, .cardReadFailed,
        .vasReadFail, .paymentReadFailed, .paymentCardDeclined, .invalidVASMerchants(nil),
        .invalidVASRequestParameters("x"), .pinEntryFailed, .pinTokenInvalid, .pinEntryTimeout, .pinCancelled,
        .pinNotAllowed, .storeAndForwardDeclineFailed, .storeAndForwardResultNotFound, .unknown(code: 7),
        .readerNotAvailable, .readerInitializationFailed, .cardNotSupported,
    ]

    static let readerErrors: [PaymentCardReaderError] = [
        .notAllowed, .backgroundRequestNotAllowed, .unsupported, .osVersionNotSupported, .modelNotSupported,
        .passcodeDisabled, .networkError, .networkAuthenticationError, .serviceConnectionError, .notReady,
        .emptyReaderToken, .invalidReaderToken("x"), .prepareFailed(nil), .prepareExpired, .tokenExpired,
        .deviceBanned(nil), .readerMemoryFull, .readerBusy, .accountNotLinked, .accountAlreadyLinked,
        .accountLinkingFailed, .accountLinkingRequiresiCloudSignIn, .accountLinkingCancelled,
        .accountLinkingCheckFailed, .merchantBlocked, .accountDeactivated, .invalidMerchant,
        .storeAndForwardNotAllowed, .storeAndForwardSessionExpired, .storeAndForwardSessionInvalidated,
        .storeAndForwardTokenIssuerChanged, .unknown(code: 7), .requestInterrupted,
    ]

    /// The codes of the iOS 18.4 order: cases that carry something come first, then the others as declared.
    @Test("NSError codes follow the order of declaration")
    func codes() {
        let carriers = ["invalidVASMerchants", "invalidVASRequestParameters", "unknown"]
        var plain = 3
        for error in Self.readErrors {
            let expected = carriers.firstIndex(of: error.errorName) ?? plain
            if !carriers.contains(error.errorName) { plain += 1 }
            #expect((error as NSError).code == expected, "\(error.errorName)")
        }
        let readerCarriers = ["invalidReaderToken", "prepareFailed", "deviceBanned", "unknown"]
        plain = 4
        for error in Self.readerErrors {
            let expected = readerCarriers.firstIndex(of: error.errorName) ?? plain
            if !readerCarriers.contains(error.errorName) { plain += 1 }
            #expect((error as NSError).code == expected, "\(error.errorName)")
        }
    }

    @Test("NSError codes that apps are known to branch on")
    func knownCodes() {
        func code(_ error: ReadError) -> Int { (error as NSError).code }
        func code(_ error: PaymentCardReaderError) -> Int { (error as NSError).code }
        #expect(code(ReadError.readCancelled) == 13)
        #expect(code(ReadError.readerSessionBusy) == 12)
        #expect(code(ReadError.cardReadFailed) == 20)
        #expect(code(ReadError.vasReadFail) == 21)
        #expect(code(ReadError.paymentCardDeclined) == 23)
        #expect(code(ReadError.pinNotAllowed) == 28)
        #expect(code(ReadError.storeAndForwardResultNotFound) == 30)
        #expect(code(PaymentCardReaderError.unsupported) == 6)
        #expect(code(PaymentCardReaderError.notReady) == 13)
        #expect(code(PaymentCardReaderError.tokenExpired) == 16)
        #expect(code(PaymentCardReaderError.readerBusy) == 18)
        #expect(code(PaymentCardReaderError.accountNotLinked) == 19)
        #expect((ReadError.readCancelled as NSError).domain.hasPrefix("ProximityReader."))
        #expect(ReadError.readCancelled.localizedDescription.contains("ReadError error 13"))
    }

    @Test("Each case has a name and a text of its own")
    func texts() {
        #expect(ReadError.texts.count == 34)
        #expect(PaymentCardReaderError.texts.count == 33)
        #expect(Set(Self.readErrors.map(\.errorName)) == Set(ReadError.texts.keys))
        #expect(Set(Self.readerErrors.map(\.errorName)) == Set(PaymentCardReaderError.texts.keys))
        #expect(Set(ReadError.texts.values).count == 34)
        #expect(Set(PaymentCardReaderError.texts.values).count == 33)
    }

    @Test("Texts hold what the case carries")
    func payloads() {
        let date = Date(timeIntervalSince1970: 0)
        #expect(PaymentCardReaderError.invalidReaderToken("no dots").errorDescription.contains("no dots"))
        #expect(PaymentCardReaderError.deviceBanned(date).errorDescription.contains("1970-01-01T00:00:00Z"))
        #expect(PaymentCardReaderError.unknown(code: 42).errorDescription.contains("42"))
        #expect(PaymentCardReaderError.prepareFailed("x").errorName == "prepareFailed")
        #expect(ReadError.invalidVASMerchants("too many").errorDescription.contains("too many"))
        #expect(ReadError.unknown(code: -5).errorDescription.contains("-5"))
        #expect(!ReadError.invalidVASRequestParameters(nil).errorDescription.contains("nil"))
    }

    @Test("Events are named by their case")
    func eventNames() {
        let events: [PaymentCardReader.Event] = [
            .updateProgress(3), .notReady, .readyForTap, .cardDetected, .removeCard, .readCompleted, .readRetry,
            .readCancelled, .readNotCompleted, .pinEntryRequested, .pinEntryCompleted, .userInterfaceDismissed,
        ]
        #expect(
            events.map(\.name) == [
                "updateProgress", "notReady", "readyForTap", "cardDetected", "removeCard", "readCompleted",
                "readRetry", "readCancelled", "readNotCompleted", "pinEntryRequested", "pinEntryCompleted",
                "userInterfaceDismissed",
            ])
        #expect(PaymentCardReader.UpdateEvent.progress(1).name == "progress")
        #expect(PaymentCardReaderSession.Event(.readRetry)?.name == "retry")
        #expect(events.compactMap { PaymentCardReaderSession.Event($0) }.count == 7)
    }

    @Test("Status raw values are status words")
    func statusWords() {
        typealias Status = VASReadResult.ReadEntry.Status
        #expect(Status.success.rawValue == 0x9000)
        #expect(Status(rawValue: 0x6A83) == .vasDataNotFound)
        #expect(Status(rawValue: 0x6287) == .vasDataNotActivated)
        #expect(Status(rawValue: 0x6B00) == .wrongP1P2)
        #expect(Status(rawValue: 0x6700) == .wrongCommandLength)
        #expect(Status(rawValue: 0x6984) == .userInterventionRequired)
        #expect(Status(rawValue: 0x6A80) == .incorrectData)
        #expect(Status(rawValue: 0x6340) == .unsupportedApplicationVersion)
        #expect(Status(rawValue: 0) == nil)
    }
}
