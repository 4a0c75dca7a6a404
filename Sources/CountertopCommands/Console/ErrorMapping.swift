// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import BERTLV
internal import Foundation
internal import ISO7816
internal import WalletCrypto

/// Every error of the layers below becomes words and an exit status here, and nowhere else.
extension ToolError {
    init(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as CryptoError:
            self.init(
                Self.crypto[error.code] ?? .data, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as VASPayloadFailure:
            let status: ExitStatus = error.code == .internalFailure ? .internalFailure : .checkFailed
            self.init(status, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as VASError: self.init(vas: error)
        case let error as CardChannelError:
            self.init(
                Self.channel[error.code] ?? .temporary, code: error.code.rawValue, error.reason, hint: error.hint)
        case let error as Hex.Failure: self.init(.data, code: "invalidHex", error.description)
        case let error as TLVError: self.init(.data, code: error.code.rawValue, error.description)
        case let error as APDUError: self.init(.data, code: "invalidAPDU", error.description)
        case is CancellationError: self = .interrupted
        default: self.init(.internalFailure, "\(error)", hint: "this is a fault of countertop: please report it")
        }
    }

    private init(vas error: VASError) {
        if let cause = error.cause {
            self.init(cause)
        } else {
            self.init(.usage, code: error.code.rawValue, error.reason, hint: error.hint)
        }
    }

    private static let crypto: [CryptoError.Code: ExitStatus] = [
        .unreadableFile: .noInput, .filePermissions: .refused, .internalFailure: .internalFailure,
        .authenticationFailed: .checkFailed, .invalidSignature: .checkFailed, .contentChanged: .checkFailed,
        .untrusted: .checkFailed, .expired: .checkFailed,
    ]

    private static let channel: [CardChannelError.Code: ExitStatus] = [
        .readerGone: .unavailable, .serviceGone: .unavailable, .cancelled: .interrupted, .mismatch: .checkFailed,
    ]
}
