// SPDX-License-Identifier: Apache-2.0

import CPCSCLite
import ISO7816

/// A connected card within its transaction. Lives on the reader's thread, for one scope.
final class PCSCCardChannel: CardChannel {
    private let card: SCARDHANDLE
    private let pci: UnsafePointer<SCARD_IO_REQUEST>
    private let guardian: CallGuard
    private let buffer: ReceiveBuffer
    private let limit: UInt64
    private var isOpen = true
    /// The last fault that means the context is of no use any more.
    private(set) var lostService = false
    /// Whether the card went away: resetting it then would leave a card that comes back at once mute.
    private(set) var lostCard = false

    init(card: SCARDHANDLE, protocolID: DWORD, guardian: CallGuard, buffer: ReceiveBuffer, limit: UInt64) {
        (self.card, self.pci, self.guardian) = (card, countertop_pci(protocolID), guardian)
        (self.buffer, self.limit) = (buffer, limit)
    }

    func close() { isOpen = false }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard isOpen, !guardian.isAbandoned, command.count >= 4 else { throw refusal(command.count) }
        var length = DWORD(ReceiveBuffer.size)
        let result = guardian.timed(.transmit, limit: limit) {
            SCardTransmit(card, pci, command, DWORD(command.count), nil, buffer.bytes, &length)
        }
        guard pcscCode(result) == 0, length >= 2, length <= ReceiveBuffer.size, !guardian.isAbandoned else {
            throw fault(pcscCode(result), length: length)
        }
        return [UInt8](UnsafeBufferPointer(start: buffer.bytes, count: Int(length)))
    }

    @inline(never)
    private func refusal(_ count: Int) -> CardChannelError {
        if guardian.isAbandoned { return guardian.stuckError }
        guard isOpen else {
            return CardChannelError(.unsupported, reason: "the card was used after its access had ended")
        }
        return CardChannelError(.unsupported, reason: "a command has at least 4 bytes, this one \(count)")
    }

    @inline(never)
    private func fault(_ code: UInt32, length: DWORD) -> CardChannelError {
        if guardian.isAbandoned { return guardian.stuckError }
        guard code == 0 else {
            let error = PCSCError(rawCode: code)
            if error.meansStaleContext { lostService = true }
            lostCard = PCSCErrorRow.byCode[code]?.channel == .cardGone || code == PCSCError.noSmartcard
            // A card that went while idle answers like this before the service's next poll.
            if code == PCSCError.noSmartcard {
                return CardChannelError(.cardGone, reason: error.description, hint: error.hint, rawCode: code)
            }
            return CardChannelError(error)
        }
        lostCard = true
        // A card that vanishes in the middle of a command is reported as success with nothing, or one stray byte.
        return CardChannelError(
            .cardGone, reason: "the card left the field in the middle of a command", hint: PCSCErrorRow.putBack,
            rawCode: 0)
    }
}
