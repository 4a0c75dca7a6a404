// SPDX-License-Identifier: Apache-2.0

internal import Logging

/// Tells the service manager that the counter is alive, as long as it is: the loop does its work and the outbox
/// answers. A process that only exists is not alive.
struct Watchdog: Sendable {
    private let runtime: CounterRuntime
    private let notifier: SystemdNotifier

    init(_ runtime: CounterRuntime, _ notifier: SystemdNotifier) { (self.runtime, self.notifier) = (runtime, notifier) }

    func run() async {
        guard let interval = notifier.watchdog else {
            // Nobody wants to hear from us.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            return
        }
        // Beside this the loop begins; before it has, it is not alive yet, and not dead either.
        for await state in runtime.states where state.phase != .starting { break }
        var shown: CounterState?
        while !Task.isCancelled {
            let health = await runtime.health()
            if health.isFine {
                notifier.alive()
            } else {
                let faults = health.checks.filter { !$0.isFine }.map(\.text).joined(separator: "; ")
                runtime.logger.error("the counter is not alive", metadata: ["reason": "\(faults)"])
            }
            let state = runtime.state
            if state != shown { notifier.status("\(state.phase.rawValue): \(state.text)") }
            shown = state
            // Half of the interval, as sd_watchdog_enabled(3) recommends.
            try? await Task.sleep(for: interval / 2)
        }
    }
}
