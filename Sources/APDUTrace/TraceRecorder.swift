// SPDX-License-Identifier: Apache-2.0

public import ISO7816
internal import Synchronization

/// What the recorder knows about an exchange beside its bytes.
public struct TraceContext: Hashable, Sendable {
    /// The application that the last successful SELECT by name chose in this tap; for a SELECT, its own.
    public let selected: AID?
    /// Which tap of the recording, from 0.
    public let tap: Int
}

/// Changes an exchange before it is kept, so that card data never enters a trace. Called on the reader's thread.
public typealias TraceRedaction = @Sendable (TraceExchange, TraceContext) -> TraceExchange

/// Collects what goes over channels into a trace. Usable from any thread.
public final class TraceRecorder: Sendable {
    private struct State {
        var trace: APDUTrace
        var isTapOpen = false
        var selected: AID?
        /// Redacts what comes; nil when a hook does, or when whole traces are looked at.
        var session: RedactionSession?
    }

    private let state: Mutex<State>
    private let redactor: TraceRedactor?
    private let hook: TraceRedaction
    private let now: @Sendable () -> Duration

    /// A recorder that keeps no cardholder data.
    ///
    /// - Parameters:
    ///   - header: what the trace begins with.
    ///   - redactor: is applied before anything is kept. ``TraceRedactor/allowingTestCards`` has to see the whole trace
    ///     and is applied when that is asked for.
    ///   - now: time since any fixed moment, from a clock that never goes back.
    public init(
        header: TraceHeader = TraceHeader(), redactor: TraceRedactor = .standard,
        now: @escaping @Sendable () -> Duration = MonotonicTime.now
    ) {
        let session = redactor.keepsTestCards ? nil : redactor.session()
        state = Mutex(State(trace: APDUTrace(header: header), session: session))
        (self.redactor, hook, self.now) = (redactor, { exchange, _ in exchange }, now)
    }

    /// A recorder with a redaction of one's own, in place of ``TraceRedactor``.
    ///
    /// - Parameters:
    ///   - header: what the trace begins with.
    ///   - redacting: is applied before anything is kept.
    ///   - now: time since any fixed moment, from a clock that never goes back.
    public init(
        header: TraceHeader = TraceHeader(), redacting: @escaping TraceRedaction,
        now: @escaping @Sendable () -> Duration = MonotonicTime.now
    ) {
        state = Mutex(State(trace: APDUTrace(header: header)))
        (redactor, hook, self.now) = (nil, redacting, now)
    }

    /// What was recorded so far, redacted.
    public var trace: APDUTrace {
        let trace = state.withLock { $0.trace }
        return redactor.map { $0.redact(trace) } ?? trace
    }

    /// Account numbers seen that are no published test card's, masked. Only a recorder that keeps test cards knows them.
    public var refusals: [String] {
        guard let redactor, redactor.keepsTestCards else { return [] }
        return redactor.refusals(in: state.withLock { $0.trace })
    }

    /// The same channel, listened to.
    public func recording(_ channel: any CardChannel) -> any CardChannel {
        RecordingChannel(base: channel, recorder: self)
    }

    /// Notes that the card left the field, or was made to; the next exchange begins a tap.
    public func fieldOff() {
        state.withLock { state in
            (state.isTapOpen, state.selected) = (false, nil)
            state.session?.fieldOff()
        }
    }

    /// Notes a card's answer to reset; the first one goes into the header.
    public func cardCame(atr: [UInt8]) {
        state.withLock { if $0.trace.header["ATR"] == nil { $0.trace.header.atr = atr } }
    }

    fileprivate func transmit(_ command: [UInt8], over base: any CardChannel) throws(CardChannelError) -> [UInt8] {
        let start = now()
        do {
            let response = try base.transmit(command)
            let milliseconds = MonotonicTime.milliseconds(now() - start)
            add(TraceExchange(command: command, response: response, milliseconds: milliseconds))
            return response
        } catch {
            if Self.wasSent(error) { add(TraceExchange(command: command, response: [])) }
            throw error
        }
    }

    /// A channel that refuses a command by itself has no code of the transport to show.
    private static func wasSent(_ error: CardChannelError) -> Bool {
        error.code != .mismatch && (error.code != .unsupported || error.rawCode != nil)
    }

    /// What the hook made of an exchange; header and status word alone where it left no APDU, which no reader of the
    /// trace would understand.
    private func redacted(_ exchange: TraceExchange, _ context: TraceContext) -> TraceExchange {
        var kept = hook(exchange, context)
        if (try? CommandAPDU(kept.command)) == nil { kept.command = Array(exchange.command.prefix(4)) }
        if kept.response.count < 2 { kept.response = Array(exchange.response.suffix(2)) }
        return kept
    }

    private func add(_ exchange: TraceExchange) {
        // A trace holds well-formed APDUs only; what a channel refused to send was never said to a card.
        guard (try? CommandAPDU(exchange.command)) != nil else { return }
        state.withLock { state in
            let isAnswered = exchange.response.count >= 2
            if !state.isTapOpen { state.trace.taps.append(APDUTrace.Tap()) }
            let last = state.trace.taps.count - 1
            if isAnswered { state.selected = Self.selection(of: exchange) ?? state.selected }
            keep(redacted(exchange, TraceContext(selected: state.selected, tap: last)), &state)
            if !isAnswered {
                state.selected = nil
                state.session?.fieldOff()
            }
            state.isTapOpen = isAnswered
        }
    }

    /// Adds an exchange to the last tap. A chain that a value may straddle is redacted again with each part.
    private func keep(_ exchange: TraceExchange, _ state: inout State) {
        let last = state.trace.taps.count - 1
        guard exchange.response.count >= 2 else {
            let lost = LostCommand(command: exchange.command, comments: exchange.comments)
            state.trace.taps[last].lost = state.session?.take(lost) ?? lost
            return
        }
        guard let chain = state.session?.take(exchange) else {
            return state.trace.taps[last].exchanges.append(exchange)
        }
        state.trace.taps[last].exchanges.removeLast(chain.count - 1)
        state.trace.taps[last].exchanges += chain
        if chain.last != exchange { state.trace = TraceRedactor.marked(state.trace) }
    }

    /// The application that an exchange selected: normal or warning status (ISO/IEC 7816-4, 5.6: 61, 62, 63, 90).
    private static func selection(of exchange: TraceExchange) -> AID? {
        guard let command = try? CommandAPDU(exchange.command), let name = VASCommandMeaning.selectedAID(command),
            let response = try? ResponseAPDU(exchange.response),
            [0x61, 0x62, 0x63, 0x90].contains(response.status.sw1)
        else { return nil }
        return try? AID(Array(name))
    }
}

private struct RecordingChannel: CardChannel {
    let base: any CardChannel
    let recorder: TraceRecorder

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        try recorder.transmit(command, over: base)
    }
}
