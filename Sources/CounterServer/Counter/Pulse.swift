// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether the loop is alive: it waits, for a phone or for a reader, or it has been busy for no longer than a tap may
/// take.
final class Pulse: Sendable {
    private struct Beat {
        var isRunning = false
        var busySince: ContinuousClock.Instant?
    }

    private let beat = Mutex(Beat())
    private let limit: Duration

    /// - Parameter limit: how long a contact may take with everything that belongs to it.
    init(limit: Duration = .seconds(60)) { self.limit = limit }

    func start() { beat.withLock { $0 = Beat(isRunning: true) } }
    func stop() { beat.withLock { $0 = Beat() } }

    /// The loop waits for somebody else.
    func rest() { beat.withLock { $0.busySince = nil } }

    /// The loop has something to do.
    func work() { beat.withLock { $0.busySince = $0.busySince ?? .now } }

    /// - Parameter patience: what a phone that answers slowly on purpose takes on top.
    func check(patience: Duration = .zero) -> HealthReport.Check {
        let (isRunning, since) = beat.withLock { ($0.isRunning, $0.busySince) }
        guard isRunning else { return .init("loop", isFine: false, "the reader loop does not run") }
        guard let since, since.duration(to: .now) > limit + patience else {
            return .init("loop", isFine: true, "the reader loop is alive")
        }
        return .init("loop", isFine: false, "a tap has been going on for more than \(limit + patience)")
    }
}
