// SPDX-License-Identifier: Apache-2.0

import CPCSCLite
import ISO7816

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A connected card within its transaction. Lives on the reader's thread, for one scope.
final class PCSCCardChannel: CardChannel {
    private let card: SCARDHANDLE
    private var pci: UnsafePointer<SCARD_IO_REQUEST>
    private let guardian: CallGuard
    private let buffer: ReceiveBuffer
    private let limit: UInt64
    private let rejoinLimit: UInt64
    private var isOpen = true
    /// Whether a command went to the card: then another program's reset has undone it.
    private(set) var hasSent = false
    /// The last fault that means the context is of no use any more.
    private(set) var lostService = false
    /// Whether the card went away: resetting it then would leave a card that comes back at once mute.
    private(set) var lostCard = false

    init(
        card: SCARDHANDLE, protocolID: DWORD, guardian: CallGuard, buffer: ReceiveBuffer, limit: UInt64,
        rejoinLimit: UInt64
    ) {
        (self.card, self.pci, self.guardian) = (card, countertop_pci(protocolID), guardian)
        (self.buffer, self.limit, self.rejoinLimit) = (buffer, limit, rejoinLimit)
    }

    func close() { isOpen = false }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard isOpen, !guardian.isAbandoned, command.count >= 4 else { throw refusal(command.count) }
        var (code, length) = send(command)
        if !hasSent, Self.isLateReset(code) { (code, length) = rejoinAndSend(command) }
        hasSent = true
        guard code == 0, length >= 2, length <= ReceiveBuffer.size, !guardian.isAbandoned else {
            throw fault(code, length: length)
        }
        return [UInt8](UnsafeBufferPointer(start: buffer.bytes, count: Int(length)))
    }

    @inline(__always)
    private func send(_ command: [UInt8]) -> (code: UInt32, length: DWORD) {
        var length = DWORD(ReceiveBuffer.size)
        let result = guardian.timed(.transmit, limit: limit) {
            SCardTransmit(card, pci, command, DWORD(command.count), nil, buffer.bytes, &length)
        }
        return (pcscCode(result), length)
    }

    /// Whether pcscd refused a command, without sending it, because it reset the card for another client.
    ///
    /// A client that disconnects with a reset, or dies, loses its transaction first; the card is reset and its
    /// protocol forgotten after that, when we may have begun already (pcsc-lite 1.9.9, SCardDisconnect).
    private static func isLateReset(_ code: UInt32) -> Bool {
        code == PCSCError.protocolMismatch || code == PCSCError.resetCard
    }

    /// The first command again, once the protocol is settled anew: a card that was reset is as good as new to us.
    @inline(never)
    private func rejoinAndSend(_ command: [UInt8]) -> (code: UInt32, length: DWORD) {
        var answer: (code: UInt32, length: DWORD) = (PCSCError.resetCard, 0)
        for _ in 0..<4 where Self.isLateReset(answer.code) && !guardian.isAbandoned {
            answer.code = rejoin()
            if answer.code == 0 { answer = send(command) }
        }
        return answer
    }

    /// Waits until no reset of another client is under way, for one that began before our transaction can end in it.
    ///
    /// The daemon blocks calls while it resets. So a call that took time is followed by a pause, in which the daemon
    /// forgets the protocol if it must, and by another call.
    func settle(since start: UInt64) {
        var begun = start
        var hasRejoined = false
        for _ in 0..<5 where !guardian.isAbandoned {
            let hasWaited = monotonicNanoseconds() &- begun > 5_000_000
            if hasRejoined, !hasWaited { return }
            if hasWaited { usleep(25_000) }
            begun = monotonicNanoseconds()
            _ = rejoin()
            hasRejoined = true
        }
    }

    /// Takes note of what happened to the card and settles the protocol, without touching the card.
    private func rejoin() -> UInt32 {
        var active = DWORD()
        let protocols = DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1)
        let result = guardian.timed(.connect, limit: rejoinLimit) {
            SCardReconnect(card, DWORD(SCARD_SHARE_SHARED), protocols, DWORD(SCARD_LEAVE_CARD), &active)
        }
        if pcscCode(result) == 0 { pci = countertop_pci(active) }
        return pcscCode(result)
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
            if PCSCError(rawCode: code).meansStaleContext { lostService = true }
            let error = Self.channelError(of: code)
            lostCard = error.code == .cardGone
            return error
        }
        lostCard = true
        // A card that vanishes in the middle of a command is reported as success with nothing, or one stray byte.
        return CardChannelError(
            .cardGone, reason: "the card left the field in the middle of a command", hint: PCSCErrorRow.putBack,
            rawCode: 0)
    }

    /// What a refused command means in the middle of an access.
    static func channelError(of code: UInt32) -> CardChannelError {
        switch code {
        case PCSCError.protocolMismatch:
            // The protocol was settled before: another program reset the card.
            return CardChannelError(PCSCError(rawCode: PCSCError.resetCard))
        case PCSCError.noSmartcard:
            // A card that went while idle answers like this before the service's next poll.
            let error = PCSCError(rawCode: code)
            return CardChannelError(.cardGone, reason: error.description, hint: error.hint, rawCode: code)
        default:
            return CardChannelError(PCSCError(rawCode: code))
        }
    }
}
