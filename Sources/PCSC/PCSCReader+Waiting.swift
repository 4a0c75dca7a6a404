// SPDX-License-Identifier: Apache-2.0

import ISO7816

extension PCSCReader {
    /// Waits, slice by slice, until the reader's state is as `wanted` says.
    ///
    /// Between two slices other operations get their turn, and cancellation is looked at.
    /// - Returns: the state; nil when time was up first.
    func wait(
        timeout: Duration?, until wanted: @Sendable (ReaderState) -> Bool
    ) async throws(CardChannelError) -> ReaderState? {
        let end = timeout.map { ContinuousClock.now + $0 }
        var recovery = Recovery(grace: options.reconnectGrace)
        var known: UInt = 0
        while true {
            guard !Task.isCancelled else { throw SessionSlot.cancelled }
            let left = end.map { ContinuousClock.now.duration(to: $0) } ?? options.waitSlice
            do {
                let slice = max(.zero, min(left, options.waitSlice))
                let state = try await slice > .zero || known == 0 ? look(from: known, for: slice) : nil
                recovery.succeeded()
                if let state {
                    known = state.raw
                    if wanted(state) { return state }
                }
            } catch {
                known = 0
                let pause = try recovery.pause(after: error)
                do { try await Task.sleep(for: min(pause, max(.zero, left))) } catch { throw SessionSlot.cancelled }
            }
            if let end, ContinuousClock.now >= end { return nil }
        }
    }

    private func look(from known: UInt, for slice: Duration) async throws(CardChannelError) -> ReaderState? {
        let name = name
        do {
            return try await slot.run(isWait: true) { session in
                let milliseconds = known == 0 ? 0 : slice.nanoseconds / 1_000_000
                let state = try session.statusChange(of: name, from: known, milliseconds: milliseconds)
                if let state, state.isUnknown { throw PCSCError(rawCode: PCSCError.unknownReader) }
                return state
            }
        } catch let error as PCSCError {
            throw CardChannelError(error)
        } catch let error as CardChannelError {
            throw error
        } catch {
            throw CardChannelError(.other, reason: "\(error)")
        }
    }
}

/// Whether and when to try again after the service went away under a wait.
///
/// The first fault of a wait that never worked is reported at once: nobody likes to wait for a daemon that is not
/// installed. After that the pauses double from 50 ms to a second, within the grace.
struct Recovery {
    let grace: Duration
    private var hasWorked = false
    private var failingSince: ContinuousClock.Instant?
    private var next = Duration.milliseconds(50)

    init(grace: Duration) { self.grace = grace }

    mutating func succeeded() {
        self = Recovery(grace: grace)
        hasWorked = true
    }

    /// How long to pause before the next try; throws `error` when there is none.
    mutating func pause(
        after error: CardChannelError, now: ContinuousClock.Instant = .now
    ) throws(CardChannelError) -> Duration {
        // A reader that is gone alone was unplugged; together with the service it may come back with it.
        let mayComeBack = error.code == .serviceGone || (error.code == .readerGone && failingSince != nil)
        guard mayComeBack, hasWorked, error.rawCode != 0x8010_006A else { throw error }
        let since = failingSince ?? now
        failingSince = since
        guard since.duration(to: now) < grace else { throw error }
        defer { next = min(next * 2, .seconds(1)) }
        return next
    }
}
