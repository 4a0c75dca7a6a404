// SPDX-License-Identifier: Apache-2.0

import CPCSCLite
import ISO7816

/// A return code as the 32 bits that the standard defines: LONG is 64 bits wide on Linux, and sign-extended on some
/// paths of the library only.
@inline(__always)
func pcscCode(_ result: Int) -> UInt32 { UInt32(truncatingIfNeeded: result) }

/// Throws unless `result` is success.
func pcscCheck(_ result: Int) throws(PCSCError) {
    let code = pcscCode(result)
    guard code == 0 else { throw PCSCError(rawCode: code) }
}

/// One reader's state as SCardGetStatusChange reports it.
struct ReaderState: Hashable, Sendable {
    /// The event state, counter in the upper 16 bits of the lower word (pcsclite's SCardGetStatusChange).
    var raw: UInt = 0
    var atr: [UInt8] = []

    /// Grows by one when a card comes and by one when it goes.
    var eventCount: Int { Int(raw >> 16 & 0xFFFF) }

    var isUnknown: Bool { has(SCARD_STATE_UNKNOWN) || has(SCARD_STATE_UNAVAILABLE) || has(SCARD_STATE_IGNORE) }
    /// A card that can be talked to. A mute one is no card yet: phones at the edge of the field look like that.
    var hasCard: Bool { has(SCARD_STATE_PRESENT) && !has(SCARD_STATE_MUTE) }
    var isMute: Bool { has(SCARD_STATE_MUTE) }
    var isEmpty: Bool { has(SCARD_STATE_EMPTY) }
    var isInUse: Bool { has(SCARD_STATE_INUSE) || has(SCARD_STATE_EXCLUSIVE) }

    private func has(_ bit: some BinaryInteger) -> Bool { raw & UInt(bit) != 0 }
}

extension CardEnding {
    /// The disposition for SCardDisconnect.
    var disposition: DWORD {
        switch self {
        case .leave: DWORD(SCARD_LEAVE_CARD)
        case .reset: DWORD(SCARD_RESET_CARD)
        case .unpower: DWORD(SCARD_UNPOWER_CARD)
        }
    }
}

/// The receive buffer of one session, used again for every command.
///
/// When a buffer is too small the command has run all the same, so it holds the longest response there is.
final class ReceiveBuffer {
    /// More than 65,536 data bytes and the status word.
    static let size = 65_552
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    deinit { bytes.deallocate() }
}
