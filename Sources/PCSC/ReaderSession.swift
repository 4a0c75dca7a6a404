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

/// One PC/SC context and the one thread that ever touches it.
///
/// Its isolated methods block; they are for its own thread. Faults of the service drop the context, so that the next
/// call makes a new one. When the watchdog gives the session up, its owner takes another session and this one cleans
/// up alone as soon as its thread comes back.
actor ReaderSession {
    private let thread: ReaderThread
    nonisolated let guardian: CallGuard
    private let options: PCSCReader.Options
    private var context: SCARDCONTEXT?
    private let buffer = ReceiveBuffer()
    private let callLimit: UInt64
    private let transmitLimit: UInt64

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(readerName: String, options: PCSCReader.Options) {
        thread = ReaderThread(name: "pcsc-reader")
        guardian = CallGuard(readerName: readerName)
        self.options = options
        callLimit = options.callTimeout.nanoseconds
        transmitLimit = options.transmitTimeout.nanoseconds
        Watchdog.shared.watch(guardian, limit: options.shortestCall)
    }

    deinit {
        let (guardian, context) = (guardian, context)
        thread.finish {
            if let context {
                _ = guardian.timed(.release, limit: UInt64.max / 2) { SCardReleaseContext(context) }
            }
            Watchdog.shared.forget(guardian)
            guardian.markDrained()
        }
    }

    /// Runs `body` on the session's thread; after a call that was given up, releases what is left.
    func perform<Value: Sendable>(
        _ body: @Sendable (isolated ReaderSession) throws -> Value
    ) throws -> Value {
        defer {
            if guardian.isAbandoned {
                dropContext()
                guardian.markDrained()
            }
        }
        guard !guardian.isAbandoned else { throw guardian.stuckError }
        return try body(self)
    }

    // MARK: the service

    private func timed(_ stage: CallStage, _ call: () -> Int) throws(PCSCError) {
        let result = guardian.timed(stage, limit: callLimit, call)
        let code = pcscCode(result)
        guard code != 0 else { return }
        let error = PCSCError(rawCode: code)
        if error.meansStaleContext { dropContext() }
        throw error
    }

    /// The context; made when there is none.
    private func liveContext() throws(PCSCError) -> SCARDCONTEXT {
        if let context { return context }
        var fresh = SCARDCONTEXT()
        do throws(PCSCError) {
            try timed(.establish) { SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &fresh) }
        } catch {
            guard error.rawCode == PCSCError.noService, ServiceSocket.hasListener else { throw error }
            throw .refusedByService
        }
        context = fresh
        return fresh
    }

    private func dropContext() {
        guard let old = context else { return }
        context = nil
        _ = guardian.timed(.release, limit: callLimit) { SCardReleaseContext(old) }
    }

    /// Runs `call` with a context; when an old one turns out to be stale, once more with a new one.
    private func retrying<Value>(
        _ call: (SCARDCONTEXT) throws(PCSCError) -> Value
    ) throws(PCSCError) -> Value {
        let wasOld = context != nil
        do {
            return try call(try liveContext())
        } catch {
            guard wasOld, error.meansStaleContext, !guardian.isAbandoned else { throw error }
            return try call(try liveContext())
        }
    }

    /// The names of all readers; empty when there is none.
    func readerNames() throws(PCSCError) -> [String] {
        try retrying { context throws(PCSCError) in
            do throws(PCSCError) {
                return try listOnce(context)
            } catch {
                guard error.rawCode == PCSCError.noReaders else { throw error }
                return []
            }
        }
    }

    private func listOnce(_ context: SCARDCONTEXT) throws(PCSCError) -> [String] {
        // 16 readers with names of 128 bytes is all that pcscd has.
        var length = DWORD(ReceiveBuffer.size)
        try timed(.list) {
            buffer.bytes.withMemoryRebound(to: CChar.self, capacity: ReceiveBuffer.size) {
                SCardListReaders(context, nil, $0, &length)
            }
        }
        let names = UnsafeBufferPointer(start: buffer.bytes, count: min(Int(length), ReceiveBuffer.size))
        return names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: waiting

    /// Waits until the state of `reader` differs from `known`, at most `milliseconds`. `known` 0 returns at once.
    ///
    /// - Returns: nil when nothing changed in that time, or the wait was cancelled.
    func statusChange(
        of reader: String, from known: UInt, milliseconds: UInt64
    ) throws(PCSCError) -> ReaderState? {
        let states = try statusChanges(of: [reader], from: [known], milliseconds: milliseconds)
        return states?.first
    }

    /// The same for several readers at once.
    func statusChanges(
        of readers: [String], from known: [UInt], milliseconds: UInt64
    ) throws(PCSCError) -> [ReaderState]? {
        let context = try liveContext()
        let names = readers.map { strdup($0) }
        defer { for name in names { free(name) } }
        var states = zip(names, known).map { name, known in
            var state = SCARD_READERSTATE()
            state.szReader = UnsafePointer(name)
            state.dwCurrentState = DWORD(known)
            return state
        }
        guardian.enterWait(context)
        defer { guardian.leaveWait() }
        let limit = callLimit &+ milliseconds &* 1_000_000
        let result = guardian.timed(.status, limit: limit) {
            SCardGetStatusChange(context, DWORD(milliseconds), &states, DWORD(states.count))
        }
        let code = pcscCode(result)
        guard code != PCSCError.timeout, code != PCSCError.cancelled else { return nil }
        guard code == 0 else {
            let error = PCSCError(rawCode: code)
            guardian.leaveWait()
            if error.meansStaleContext { dropContext() }
            throw error
        }
        return states.map(Self.readerState)
    }

    private static func readerState(_ native: SCARD_READERSTATE) -> ReaderState {
        let atr = withUnsafeBytes(of: native.rgbAtr) { Array($0.prefix(Int(clamping: native.cbAtr))) }
        return ReaderState(raw: UInt(native.dwEventState) & ~UInt(SCARD_STATE_CHANGED), atr: atr)
    }

    /// The state of `reader` now. A reader that the service does not know is an error.
    func currentState(of reader: String) throws(PCSCError) -> ReaderState {
        let state = try retrying { _ throws(PCSCError) in
            try statusChange(of: reader, from: 0, milliseconds: 0)
        }
        guard let state, !state.isUnknown else { throw PCSCError(rawCode: PCSCError.unknownReader) }
        return state
    }

    // MARK: the card

    /// Connects to the card in `reader`, begins a transaction, runs `body` and undoes both.
    func withCard<Value>(
        in reader: String, ending: CardEnding, _ body: (any CardChannel) throws -> Value
    ) throws -> Value {
        let start = monotonicNanoseconds()
        let (card, protocolID) = try openCard(in: reader)
        let channel = PCSCCardChannel(
            card: card, protocolID: protocolID, guardian: guardian, buffer: buffer, limit: transmitLimit,
            rejoinLimit: callLimit)
        if guardian.isShared { channel.settle(since: start) }
        defer {
            channel.close()
            if channel.lostService {
                dropContext()
            } else {
                if channel.lostCard { awaitRemoval(from: reader) }
                // Who was given up before the first command has nothing to undo, and others are at the card.
                let isUntouched = guardian.isAbandoned && !channel.hasSent
                end(card, isUntouched ? .leave : channel.lostCard ? .reset : ending)
            }
        }
        return try body(channel)
    }

    /// Ends the transaction and disconnects.
    ///
    /// SCardDisconnect gives the transaction up before it resets the card, under whoever came next; ending the
    /// transaction resets it first (pcsc-lite 1.9.9). That would power a card up again that shall go without.
    private func end(_ card: SCARDHANDLE, _ ending: CardEnding) {
        var rest = ending
        if ending == .reset {
            let disposition = ending.disposition
            do throws(PCSCError) {
                try timed(.end) { SCardEndTransaction(card, disposition) }
                rest = .leave
            } catch {
                guard context != nil else { return }
            }
        }
        disconnect(card, rest.disposition)
    }

    private func openCard(in reader: String) throws -> (card: SCARDHANDLE, protocolID: DWORD) {
        do {
            let state = try currentState(of: reader)
            if state.isEmpty { throw PCSCError(rawCode: PCSCError.noSmartcard) }
            guardian.markShared(state.isInUse)
            return try connectAndBegin(reader, DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1))
        } catch let error as PCSCError {
            if guardian.isAbandoned { throw guardian.stuckError }
            throw CardChannelError(error)
        }
    }

    /// Connects for sharing and begins the transaction.
    ///
    /// A card that was reset meanwhile is as good as new to us. While the service resets the card of a client that
    /// died, it knows no protocol for a moment (E_PROTO_MISMATCH). Both pass: try again, four times in all.
    private func connectAndBegin(
        _ reader: String, _ protocols: DWORD
    ) throws(PCSCError) -> (card: SCARDHANDLE, protocolID: DWORD) {
        var last = PCSCError(rawCode: PCSCError.resetCard)
        for attempt in 0..<4 {
            if attempt > 0 { usleep(UInt32(attempt) * 100_000) }
            var opened: SCARDHANDLE?
            do throws(PCSCError) {
                let card = try connect(to: reader, share: DWORD(SCARD_SHARE_SHARED), protocols: protocols)
                opened = card.card
                try timed(.begin) { SCardBeginTransaction(card.card) }
                return card
            } catch {
                last = error
            }
            if let opened { disconnect(opened, DWORD(SCARD_LEAVE_CARD)) }
            let passes = [PCSCError.protocolMismatch, PCSCError.resetCard].contains(last.rawCode)
            guard passes, !guardian.isAbandoned else { throw last }
        }
        throw last
    }

    /// Gives the service the time of a poll (400 ms with vpcd) to notice that the card went, or is back.
    ///
    /// Without that, resetting makes a card that comes back at once mute, and leaving it fails its first command.
    private func awaitRemoval(from reader: String) {
        let end = monotonicNanoseconds() &+ 500_000_000
        guard var state = try? currentState(of: reader) else { return }
        let count = state.eventCount
        while state.hasCard, state.eventCount == count, !guardian.isAbandoned {
            let now = monotonicNanoseconds()
            guard now < end else { return }
            let left = (end - now) / 1_000_000 + 1
            guard let change = try? statusChange(of: reader, from: state.raw, milliseconds: left) else { return }
            state = change
        }
    }

    private func connect(
        to reader: String, share: DWORD, protocols: DWORD
    ) throws(PCSCError) -> (card: SCARDHANDLE, protocolID: DWORD) {
        try retrying { context throws(PCSCError) in
            var card = SCARDHANDLE()
            var active = DWORD()
            try timed(.connect) { SCardConnect(context, reader, share, protocols, &card, &active) }
            return (card, active)
        }
    }

    private func disconnect(_ card: SCARDHANDLE, _ disposition: DWORD) {
        // Whatever it says, the handle is gone; a dead service takes the context with it.
        try? timed(.end) { SCardDisconnect(card, disposition) }
    }

    // MARK: the reader itself

    /// Runs `body` with a control function, on a direct connection that needs no card.
    func withControl<Value>(
        of reader: String, _ body: ((_ code: UInt32, _ input: [UInt8]) throws(PCSCError) -> [UInt8]) throws -> Value
    ) throws -> Value {
        let (card, _) = try connect(to: reader, share: DWORD(SCARD_SHARE_DIRECT), protocols: 0)
        defer { disconnect(card, DWORD(SCARD_LEAVE_CARD)) }
        return try body { (code, input) throws(PCSCError) in try control(card, code, input) }
    }

    private func control(_ card: SCARDHANDLE, _ code: UInt32, _ input: [UInt8]) throws(PCSCError) -> [UInt8] {
        var length = DWORD()
        let result = guardian.timed(.control, limit: transmitLimit) {
            SCardControl(
                card, DWORD(code), input, DWORD(input.count), buffer.bytes, DWORD(ReceiveBuffer.size), &length)
        }
        try pcscCheck(result)
        return [UInt8](UnsafeBufferPointer(start: buffer.bytes, count: min(Int(length), ReceiveBuffer.size)))
    }

    /// The vendor's name as the driver tells it, nil when it does not.
    func vendorName(of reader: String) throws(PCSCError) -> String? {
        let (card, _) = try connect(to: reader, share: DWORD(SCARD_SHARE_DIRECT), protocols: 0)
        defer { disconnect(card, DWORD(SCARD_LEAVE_CARD)) }
        var length = DWORD(ReceiveBuffer.size)
        let result = guardian.timed(.status, limit: callLimit) {
            SCardGetAttrib(card, countertop_attr_vendor_name(), buffer.bytes, &length)
        }
        guard pcscCode(result) == 0 else { return nil }
        let bytes = UnsafeBufferPointer(start: buffer.bytes, count: min(Int(length), ReceiveBuffer.size))
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
