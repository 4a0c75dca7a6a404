// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// Faults of the reader in Apple's words; the only place where they meet.
enum FaultMapping {
    /// A tap that can be repeated: the card left, came too late or stopped answering.
    static func isTorn(_ error: CardChannelError) -> Bool {
        [.cardGone, .noCard, .timedOut].contains(error.code)
    }

    /// A fault after which the reader has to be opened again.
    static func losesReader(_ error: CardChannelError) -> Bool {
        [.readerGone, .serviceGone].contains(error.code)
    }

    private static let reads: [CardChannelError.Code: PaymentCardReaderSession.ReadError] = [
        .cardGone: .cardReadFailed,
        .noCard: .cardReadFailed,
        .timedOut: .cardReadFailed,
        .mismatch: .cardReadFailed,
        .unsupported: .cardReadFailed,
        .serviceGone: .readerServiceConnectionError,
        .readerGone: .readerNotAvailable,
        .interfered: .readerNotAvailable,
        .cancelled: .readCancelled,
    ]

    /// During a read. A code that is new here is a fault of the service.
    static func read(_ error: CardChannelError) -> PaymentCardReaderSession.ReadError {
        reads[error.code] ?? .readerServiceError
    }

    /// While a reader is opened for a read.
    static func opening(_ error: CardChannelError) -> PaymentCardReaderSession.ReadError {
        losesReader(error) ? read(error) : .readerInitializationFailed
    }

    /// While a reader is prepared: no service is a missing connection, all else fails with its reason.
    static func preparation(_ error: CardChannelError) -> PaymentCardReaderError {
        guard error.code != .serviceGone else { return .serviceConnectionError }
        return .prepareFailed([error.reason, error.hint].compactMap(\.self).joined(separator: "; "))
    }
}
