// SPDX-License-Identifier: Apache-2.0

public import ISO7816
internal import Synchronization

/// A card that answers as recorded.
///
/// Past the last exchange, and at a `# LOST:` command, it throws `cardGone`, as a card that leaves does; a command
/// that does not fit throws `mismatch` and leaves the place where it was. Usable from any thread.
public final class ReplayChannel: CardChannel, Sendable {
    private struct State {
        var position = 0
        var passedOver: [Int] = []
        var isGone = false
    }

    private let tap: APDUTrace.Tap
    private let matching: ReplayMatching
    private let state = Mutex(State())

    /// Replays one tap.
    public init(_ tap: APDUTrace.Tap, matching: ReplayMatching = .exact) {
        (self.tap, self.matching) = (tap, matching)
    }

    /// Replays a trace as if it were one tap.
    public convenience init(_ trace: APDUTrace, matching: ReplayMatching = .exact) {
        let tap = APDUTrace.Tap(exchanges: trace.exchanges, lost: trace.taps.last?.lost)
        self.init(tap, matching: matching)
    }

    /// How many exchanges were not asked for: those ahead and, when skipping, those passed over.
    public var remaining: Int {
        state.withLock { tap.exchanges.count - $0.position + $0.passedOver.count }
    }

    /// Whether nothing is ahead, or the card has left.
    public var isUsedUp: Bool {
        state.withLock { $0.isGone || ($0.position == tap.exchanges.count && tap.lost == nil) }
    }

    /// The recorded answer to a command.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let outcome = state.withLock { answer(command, &$0) }
        return try outcome.get()
    }

    private func answer(_ command: [UInt8], _ state: inout State) -> Result<[UInt8], CardChannelError> {
        let exchanges = tap.exchanges
        guard !state.isGone else { return .failure(ReplayMismatch.tapOver(after: lastLine)) }
        if matching.skipping { return skip(to: command, &state) }
        if state.position < exchanges.count {
            let next = exchanges[state.position]
            guard fits(next.command, command) else {
                return .failure(ReplayMismatch.error(recorded: next.command, line: next.line, sent: command))
            }
            state.position += 1
            return .success(next.response)
        }
        guard let lost = tap.lost else { return .failure(ReplayMismatch.tapOver(after: lastLine)) }
        guard fits(lost.command, command) else {
            return .failure(ReplayMismatch.error(recorded: lost.command, line: lost.line, sent: command))
        }
        state.isGone = true
        return .failure(ReplayMismatch.lost(line: lost.line))
    }

    /// Ahead first, then what was passed over before.
    private func skip(to command: [UInt8], _ state: inout State) -> Result<[UInt8], CardChannelError> {
        let exchanges = tap.exchanges
        if let found = exchanges[state.position...].firstIndex(where: { fits($0.command, command) }) {
            state.passedOver += state.position..<found
            state.position = found + 1
            return .success(exchanges[found].response)
        }
        if let found = state.passedOver.firstIndex(where: { fits(exchanges[$0].command, command) }) {
            return .success(exchanges[state.passedOver.remove(at: found)].response)
        }
        if let lost = tap.lost, fits(lost.command, command) {
            state.isGone = true
            return .failure(ReplayMismatch.lost(line: lost.line))
        }
        guard state.position < exchanges.count || tap.lost != nil else {
            return .failure(ReplayMismatch.tapOver(after: lastLine))
        }
        return .failure(ReplayMismatch.notFound(sent: command, from: exchanges[safe: state.position]?.line ?? 0))
    }

    private func fits(_ recorded: [UInt8], _ sent: [UInt8]) -> Bool { matching.matches(recorded: recorded, sent: sent) }

    private var lastLine: Int { tap.lost?.line ?? tap.exchanges.last?.line ?? 0 }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
