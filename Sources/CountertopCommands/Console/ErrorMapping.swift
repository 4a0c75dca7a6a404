// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import AppleVAS
internal import BERTLV
internal import CounterServer
internal import EMVContactless
internal import EmulatedWallet
internal import Foundation
internal import ISO7816
internal import InAppProvisioning
internal import LoyaltyFeed
internal import PCSC
internal import ProximityReader
internal import WalletCrypto

/// Every error of the layers below becomes words and an exit status here, and nowhere else.
extension ToolError {
    init(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as CryptoError:
            self.init(Self.crypto[error.code] ?? .data, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as VASPayloadFailure:
            let status: ExitStatus = error.code == .internalFailure ? .internalFailure : .checkFailed
            self.init(status, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as CardChannelError:
            self.init(Self.channel[error.code] ?? .temporary, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as PCSCError:
            let status: ExitStatus = Self.refusals.contains(error.rawCode) ? .refused : .unavailable
            self.init(
                status, code: error.name, error.reason, hint: error.hint ?? "`countertop doctor` looks for the cause")
        case let error as WalletError:
            self.init(Self.wallet[error.code] ?? .data, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as TraceError:
            let status: ExitStatus = error.code == .unreadableFile ? .noInput : .data
            self.init(status, code: error.code.rawValue, error.description)
        case let error as BrokerError:
            let status = Self.broker[error.code] ?? .unavailable
            self.init(status, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as ReadFailure: self.init(read: error)
        case let error as ConfigurationError: self.init(error)
        default: self.init(value: error)
        }
    }

    /// Errors about bytes and settings.
    private init(value error: any Error) {
        switch error {
        case let error as VASError: self.init(.usage, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as CounterSettingError: self.init(.configuration, error.description)
        case let error as Hex.Failure: self.init(.data, code: "invalidHex", error.description)
        case let error as EMVError:
            let status: ExitStatus = error.code == .invalidKeyFile ? .configuration : .data
            self.init(
                status, code: error.code.rawValue,
                error.offset.map { "\(error.reason), at offset \($0)" } ?? error.reason,
                hint: error.hint)
        case let error as ProvisioningError:
            self.init(
                Self.provisioning[error.code] ?? .data, code: error.code.rawValue,
                error.offset.map { "\(error.reason), at offset \($0)" } ?? error.reason, hint: error.hint)
        case let error as OutboxError: self.init(error)
        case let error as ServerError:
            self.init(Self.server[error.code] ?? .usage, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as DecodeError: self.init(.data, code: error.code, error.reason)
        case let error as TLVError: self.init(.data, code: error.code.rawValue, error.description)
        case let error as APDUError: self.init(.data, code: "invalidAPDU", error.description)
        case is CancellationError: self = .interrupted
        default: self.init(.internalFailure, "\(error)", hint: "this is a fault of countertop: please report it")
        }
    }

    private static let crypto: [CryptoError.Code: ExitStatus] = [
        .unreadableFile: .noInput, .filePermissions: .refused, .internalFailure: .internalFailure,
        .authenticationFailed: .checkFailed, .invalidSignature: .checkFailed, .contentChanged: .checkFailed,
        .untrusted: .checkFailed, .expired: .checkFailed,
    ]

    private static let channel: [CardChannelError.Code: ExitStatus] = [
        .readerGone: .unavailable, .serviceGone: .unavailable, .cancelled: .interrupted, .mismatch: .checkFailed,
        .unsupported: .data,
    ]

    private static let provisioning: [ProvisioningError.Code: ExitStatus] = [
        .authenticationFailed: .checkFailed, .internalFailure: .internalFailure,
    ]

    private static let server: [ServerError.Code: ExitStatus] = [
        .invalidTLS: .data, .unavailable: .unavailable, .exposed: .refused,
    ]

    private static let broker: [BrokerError.Code: ExitStatus] = [
        .invalidSetting: .configuration, .invalidData: .data, .denied: .refused,
    ]

    private static let wallet: [WalletError.Code: ExitStatus] = [
        .unreadableFile: .noInput, .unreachable: .unavailable, .invalidAddress: .usage,
        .notStartable: .internalFailure,
    ]

    /// SCARD_W_SECURITY_VIOLATION and SCARD_E_NO_ACCESS (pcsc-lite, pcsclite.h).
    private static let refusals: Set<UInt32> = [0x8010_006A, 0x8010_0027]
}

/// Apple's errors, with what the counter knows of the tap.
extension ToolError {
    private init(read failure: ReadFailure) {
        switch failure.error {
        case let error as PaymentCardReaderSession.ReadError: self.init(error, failure)
        case let error as PaymentCardReaderError:
            self.init(
                Self.preparation[error.errorName] ?? .refused, code: error.errorName,
                "\(error.errorName): \(error.errorDescription)")
        default: self.init(failure.error)
        }
    }

    private init(_ error: PaymentCardReaderSession.ReadError, _ failure: ReadFailure) {
        let name = error.errorName
        if case .readCancelled = error, failure.tap == nil, let wait = failure.wait {
            self.init(
                .temporary, code: name, "\(name): no card came within \(wait.formatted(.seconds))",
                hint: "hold the phone to the reader, or wait longer with --timeout")
            return
        }
        let (reason, hint) = failure.tap.map(Self.words) ?? (nil, nil)
        // A card that was there to its outcome was read in vain; one that left may come again.
        let isFinal = failure.isMismatch || (name == "cardReadFailed" && failure.tap?.payment != nil)
        self.init(
            isFinal ? .checkFailed : Self.read[name] ?? .refused, code: name,
            "\(name): \(reason ?? error.errorDescription)", hint: hint)
    }

    private static func words(_ tap: TapReport) -> (String?, String?) {
        switch tap.ending {
        case .torn(let error), .failed(let error): (error.reason, error.hint)
        case .noWallet(let status):
            ("the card is no wallet (SELECT answered \(status))", "hold a phone with Wallet to the reader, not a card")
        case .otherWallet(let name): ("the wallet is \(name), not Apple's", "only Apple Wallet passes can be read")
        case .malformed(let text): (text, nil)
        case .payment: (tap.payment?.reason.text, tap.payment?.uiRequestOnOutcome.map { "\($0.message)" })
        case .answered, .notActivated: (nil, nil)
        }
    }

    private static let preparation: [String: ExitStatus] = [
        "emptyReaderToken": .configuration, "invalidReaderToken": .configuration, "tokenExpired": .configuration,
        "invalidMerchant": .configuration, "networkError": .unavailable, "serviceConnectionError": .unavailable,
        "networkAuthenticationError": .unavailable, "prepareFailed": .unavailable, "readerBusy": .temporary,
        "requestInterrupted": .temporary, "unknown": .internalFailure,
    ]

    private static let read: [String: ExitStatus] = [
        "cardReadFailed": .temporary, "vasReadFail": .checkFailed, "readCancelled": .temporary,
        "readerSessionBusy": .temporary, "readerServiceConnectionError": .unavailable,
        "readerServiceError": .unavailable, "readerNotAvailable": .unavailable,
        "readerInitializationFailed": .unavailable, "cardNotSupported": .checkFailed,
        "paymentCardDeclined": .checkFailed, "paymentReadFailed": .checkFailed, "invalidAmount": .usage,
        "invalidCurrencyCode": .usage, "invalidPreferredAID": .usage, "pinEntryFailed": .checkFailed,
        "pinEntryTimeout": .temporary, "pinCancelled": .temporary,
        "readerSessionNetworkError": .unavailable, "invalidVASMerchants": .usage,
        "invalidVASRequestParameters": .usage, "unknown": .internalFailure,
    ]
}

extension ReadFailure {
    /// Whether a trace was asked for something else than it holds.
    fileprivate var isMismatch: Bool {
        switch tap?.ending {
        case .torn(let error), .failed(let error): error.code == .mismatch
        default: false
        }
    }
}

extension Duration {
    /// `2.5 s`.
    fileprivate enum Style { case seconds }
    fileprivate func formatted(_ style: Style) -> String {
        let seconds = self / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
