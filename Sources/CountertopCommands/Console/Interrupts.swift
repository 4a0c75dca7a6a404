// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What a command wants of signals beyond being cancelled; the process has one of it.
final class ProcessSignals: Sendable {
    private struct Wish {
        var grace = DispatchTimeInterval.seconds(2)
        var hangup: (@Sendable () -> Void)?
    }

    static let shared = ProcessSignals()
    private let wish = Mutex(Wish())

    /// Time to end in order, and what is done at SIGHUP instead of ending.
    func set(grace: DispatchTimeInterval, hangup: @escaping @Sendable () -> Void) {
        wish.withLock { $0 = Wish(grace: grace, hangup: hangup) }
    }

    func reset() { wish.withLock { $0 = Wish() } }

    fileprivate var grace: DispatchTimeInterval { wish.withLock { $0.grace } }
    fileprivate var hangup: (@Sendable () -> Void)? { wish.withLock { $0.hangup } }
}

/// Turns the signals that end a program into cancellation, so that the card is released first.
///
/// A second signal, or two seconds without an end (``ProcessSignals`` has more for services), ends the process at once. SIGPIPE is ignored: a write that fails
/// says the same, where it can be handled.
final class Interrupts: Sendable {
    /// Only kept, never called after `init`.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    private let received = Mutex<Int32?>(nil)

    init(_ interrupt: @escaping @Sendable () -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "countertop.signals")
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for (source, number) in zip(sources, [SIGINT, SIGTERM, SIGHUP]) {
            source.setEventHandler { [weak self] in
                if number == SIGHUP, let hangup = ProcessSignals.shared.hangup { return hangup() }
                let isFirst =
                    self?.received.withLock { received in
                        defer { received = received ?? number }
                        return received == nil
                    } ?? false
                guard isFirst else { _exit(128 + number) }
                queue.asyncAfter(deadline: .now() + ProcessSignals.shared.grace) {
                    try? StandardStream.write(Array("countertop: interrupted\n".utf8), to: STDERR_FILENO)
                    _exit(128 + number)
                }
                interrupt()
            }
            source.resume()
        }
    }

    /// The exit status, with the number of the signal where a command says that it was interrupted.
    func status(for status: Int32) -> Int32 {
        guard status == ExitStatus.interrupted.rawValue, let number = received.withLock({ $0 }) else { return status }
        return 128 + number
    }
}
