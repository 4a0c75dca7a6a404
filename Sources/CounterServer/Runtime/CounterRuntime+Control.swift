// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import LoyaltyFeed
internal import Metrics
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The service's answers, with what the outbox adds.
extension CounterRuntime: CounterControl {
    /// What the counter is doing.
    public var state: CounterState { service.state }
    /// See ``CounterControl/states``.
    public var states: AsyncStream<CounterState> { service.states }
    /// The readers.
    public func readers() async -> [ReaderStatus] { await service.readers() }
    /// The emulated phone.
    public func wallet() throws(ControlError) -> WalletView { try service.wallet() }
    /// Changes the emulated phone.
    public func changeWallet(_ change: WalletChange) async throws(ControlError) -> WalletView {
        try await service.changeWallet(change)
    }
    /// Taps the emulated phone once.
    public func tapOnce() async throws(ControlError) -> TapOutcome { try await service.tapOnce() }
    /// Runs a trace again.
    public func replay(_ trace: String) async throws(ControlError) -> ReplayReport { try await service.replay(trace) }

    /// Whether the loop is alive and the outbox answers.
    public func health() async -> HealthReport {
        HealthReport(await service.health().checks + [await outboxAnswers()])
    }

    /// Whether a tap would be read and kept.
    public func readiness() async -> HealthReport {
        let answers = await outboxAnswers()
        return HealthReport(await service.readiness().checks + [answers.isFine ? stateIsWritable() : answers])
    }

    private func outboxAnswers() async -> HealthReport.Check {
        do {
            _ = try await outbox.events(after: .max, limit: 1)
            return .init("outbox", isFine: true, "the outbox answers")
        } catch { return .init("outbox", isFine: false, error.reason) }
    }

    private func stateIsWritable() -> HealthReport.Check {
        let directory = configuration.counter.state
        if let failure = journal.failure { return .init("outbox", isFine: false, failure) }
        var room = statvfs()
        guard access(directory, W_OK) == 0, statvfs(directory, &room) == 0 else {
            return .init("outbox", isFine: false, "\(directory) cannot be written")
        }
        let free = UInt64(room.f_bavail) * UInt64(room.f_frsize)
        guard free >= Self.leastRoom else { return .init("outbox", isFine: false, "the disk of \(directory) is full") }
        return .init("outbox", isFine: true, "the outbox can be written")
    }

    /// A tap takes some kilobytes.
    private static let leastRoom: UInt64 = 1 << 20

    /// Prometheus text, with what is looked up now.
    public func metricsText() async -> String {
        ProcessMetrics.record(into: metrics, version: version, start: start)
        if let numbers = try? await outbox.statistics() {
            set("countertop_outbox_depth", Double(numbers.depth))
            let age = numbers.oldest.map { max(0, Date().timeIntervalSince($0)) } ?? 0
            set("countertop_outbox_oldest_seconds", age)
            set("countertop_outbox_parked", Double(numbers.parked))
            for sink in numbers.sinks { set("countertop_sink_depth", Double(sink.depth), [("sink", sink.name)]) }
        }
        return metrics.text
    }

    private func set(_ label: String, _ value: Double, _ dimensions: [(String, String)] = []) {
        Meter(label: label, dimensions: dimensions, factory: metrics).set(value)
    }
}

/// The outbox, with a memory of what went wrong last.
final class WatchedJournal: TapJournal {
    private let outbox: Outbox
    private let last = Mutex<(reason: String, at: ContinuousClock.Instant)?>(nil)

    init(_ outbox: Outbox) { self.outbox = outbox }

    func keep(_ tap: TapRecord) async throws -> [ULID] {
        do {
            let events = try await outbox.commit(tap).events.map(\.id)
            last.withLock { $0 = nil }
            return events
        } catch {
            last.withLock { $0 = (error.reason, .now) }
            throw error
        }
    }

    /// Why a tap could not be kept, for a while: nobody taps a counter that is said to be out of order.
    var failure: String? {
        last.withLock { last in
            guard let last, last.at.duration(to: .now) < .seconds(10) else { return nil }
            return last.reason
        }
    }
}

/// A sink whose reports are counted.
struct MeteredSink: Sink {
    private let base: any Sink
    private let factory: any MetricsFactory

    init(_ base: any Sink, _ factory: any MetricsFactory) { (self.base, self.factory) = (base, factory) }

    var name: String { base.name }
    var batchLimit: Int { base.batchLimit }

    func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        let reports = await base.deliver(events)
        // Events that somebody sends to try the sink are no deliveries.
        for (event, report) in zip(events, reports) where event.event.kind != .test {
            Metrics.Counter(
                label: "countertop_deliveries_total", dimensions: [("sink", name), ("outcome", report.verdict.name)],
                factory: factory
            ).increment()
        }
        return reports
    }

    func close() async { await base.close() }
}
