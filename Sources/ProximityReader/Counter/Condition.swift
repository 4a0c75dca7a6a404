// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Something that is wrong with the device, the account or the tap, and that otherwise happens only on a phone.
///
/// Set it on ``Counter/conditions``, or by `COUNTERTOP_CONDITIONS=nfcDisabled,deviceBanned=2030-01-01T00:00:00Z`.
/// ``Name`` lists them; the article Conditions says what each does.
public struct Condition: Hashable, Sendable {
    /// Every condition, by the word that settings use.
    public enum Name: String, Sendable, CaseIterable {
        /// The app may not use the reader at all.
        case notAllowed, unsupported, osVersionNotSupported, modelNotSupported
        /// The state of the app and the device.
        case background, requestInterrupted, passcodeDisabled
        /// The connections.
        case networkDown, networkAuthentication, serviceConnection
        /// The preparation.
        case notReady, prepareFailed, prepareExpired, deviceBanned, memoryFull, readerBusy, slowPreparation
        /// The token and its merchant.
        case emptyReaderToken, invalidReaderToken, tokenExpired, invalidMerchant, merchantBlocked, accountDeactivated
        /// The account.
        case accountNotLinked, accountAlreadyLinked
        /// Linking it.
        case linkingFailed, iCloudSignInRequired, linkingCancelled, linkCheckFailed
        /// The session.
        case sessionLost, sessionExpired, sessionBusy
        /// The read, before its sheet is up.
        case readNotAllowed, callInProgress, readerServiceError, readerInitializationFailed, readerNotAvailable
        /// The request.
        case invalidAmount, invalidCurrencyCode, invalidPreferredAID
        /// The loyalty request.
        case invalidVASMerchants, invalidVASRequestParameters
        /// The sheet.
        case nfcDisabled, readCancelled
        /// The tap.
        case cardReadFailed, vasReadFail, cardNotSupported, paymentReadFailed, paymentCardDeclined
        /// Reads without a network.
        case storeAndForwardNotAllowed, storeAndForwardSessionExpired, storeAndForwardSessionInvalidated
        case storeAndForwardTokenIssuerChanged, storeAndForwardDeclineFailed, storeAndForwardResultNotFound
        /// The store.
        case storeBusy, storeAndForwardResultsNotFound, storeAndForwardBatchNotFound
        case storeAndForwardBatchSizeInvalid, storeAndForwardBatchAlreadyExists
        case storeAndForwardDeletionTokenInvalid, storeAndForwardDeletionTokenExpired
        /// The PIN.
        case pinTokenInvalid, pinNotAllowed, pinEntryFailed, pinEntryTimeout, pinCancelled
        /// Anything else, with a code.
        case unknown
    }

    /// Which one.
    public let name: Name
    /// What belongs to it: a date for `deviceBanned`, a reason for `prepareFailed`, `invalidReaderToken`
    /// and the two about loyalty requests, a code
    /// for `unknown`, seconds for `slowPreparation`.
    public let value: String?

    /// A condition; a value that its name has no use for is not looked at.
    public init(_ name: Name, value: String? = nil) {
        (self.name, self.value) = (name, value)
    }

    /// The device is barred, until a date when there is one.
    public static func deviceBanned(until date: Date?) -> Condition {
        Condition(.deviceBanned, value: date?.formatted(.iso8601))
    }

    /// Preparation fails for a reason.
    public static func prepareFailed(_ reason: String?) -> Condition { Condition(.prepareFailed, value: reason) }

    /// Preparation takes this long, and tells of its progress a hundred times.
    public static func slowPreparation(_ duration: Duration) -> Condition {
        Condition(.slowPreparation, value: String(duration / .seconds(1)))
    }

    /// The error without a name of its own.
    public static func unknown(code: Int) -> Condition { Condition(.unknown, value: String(code)) }

    /// Conditions as a text has them: names with commas between, `NAME=VALUE` where one belongs to it.
    ///
    /// - Throws: ``CounterSettingError`` that names the part it cannot read.
    public static func list(parsing text: String) throws(CounterSettingError) -> [Condition] {
        var list: [Condition] = []
        for part in text.split(separator: ",") where !part.allSatisfy(\.isWhitespace) {
            list.append(try Condition(parsing: part))
        }
        return list
    }

    private init(parsing part: Substring) throws(CounterSettingError) {
        let pair = part.split(separator: "=", maxSplits: 1).map(\.trimmed)
        guard let word = pair.first, let name = Name(rawValue: word) else {
            let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw CounterSettingError("\"\(part.trimmed)\" is no condition; there are \(names)")
        }
        self.init(name, value: pair.count > 1 ? pair[1] : nil)
        try check()
    }

    private func check() throws(CounterSettingError) {
        switch name {
        case .deviceBanned where value != nil && date == nil:
            throw CounterSettingError("deviceBanned takes a date such as 2030-01-01T00:00:00Z")
        case .unknown where value.map { Int($0) == nil } ?? false:
            throw CounterSettingError("unknown takes a number, such as unknown=42")
        case .slowPreparation where value.map { Double($0).map { !(0...86_400).contains($0) } ?? true } ?? false:
            throw CounterSettingError("slowPreparation takes seconds, such as slowPreparation=20")
        default: break
        }
    }

    /// The value as a date.
    var date: Date? { value.flatMap { try? Date($0, strategy: .iso8601) } }
    /// The value as a code.
    var code: Int { value.flatMap { Int($0) } ?? 0 }
    /// The value as seconds; ten when there is none.
    var seconds: Duration {
        .seconds(value.flatMap { Double($0) }.map { $0.isFinite ? min(max($0, 0), 86_400) : 0 } ?? 10)
    }
}

extension Condition: CustomStringConvertible {
    /// As settings have it: `NAME` or `NAME=VALUE`.
    public var description: String { value.map { "\(name.rawValue)=\($0)" } ?? name.rawValue }
}
