// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import EMVContactless
internal import Foundation
public import Logging
public import LoyaltyFeed
internal import Metrics
internal import ProximityReader
internal import ServiceLifecycle
internal import Synchronization

/// What speaks HTTP for a counter.
public protocol CounterHTTP: Sendable {
    /// Listens until the task is cancelled; requests that are there then are answered first.
    func run(onListening: @escaping @Sendable (ListenAddress) -> Void) async throws(ServerError)
}

/// `countertop serve` in a value: reader loop, outbox, deliveries and HTTP, supervised in one process.
///
/// ``run(_:onReady:)`` does the work until its task is cancelled, and then ends in order: HTTP takes no more requests,
/// a tap under way is kept, an attempt to deliver is finished.
public final class CounterRuntime: Sendable {
    /// What it was set up with.
    public let configuration: CounterConfiguration
    /// Where taps and events are kept.
    public let outbox: Outbox
    /// What carries events to the sinks.
    public let engine: DeliveryEngine
    /// The reader loop.
    public let service: CounterService
    /// The numbers behind `/metrics`.
    public let metrics: PrometheusMetrics
    /// The version, for `/metrics`.
    public let version: String
    let journal: WatchedJournal
    let start = Date()
    private let notifier: SystemdNotifier
    let logger: Logger

    /// Reads keys and sinks, and opens the outbox. Nothing runs yet.
    ///
    /// - Parameters:
    ///   - configuration: what it runs with.
    ///   - environment: for the service manager's variables.
    ///   - version: the tool's.
    ///   - logger: where lines go.
    /// - Throws: `ConfigurationError`, `OutboxError` (`busy` when another process has the state directory),
    ///   `ControlError` (`unreadableDefinition`).
    public init(
        _ configuration: CounterConfiguration, environment: [String: String] = [:], version: String = "0",
        logger: Logger
    ) throws {
        (self.configuration, self.version, self.logger) = (configuration, version, logger)
        let metrics = PrometheusMetrics()
        self.metrics = metrics
        notifier = SystemdNotifier(environment: environment)
        let setting = try CounterSetting(configuration, logger: logger)
        let sinks = try configuration.makeSinks()
        var options = OutboxOptions()
        options.basketWindow = configuration.basket.window
        options.keepDays = configuration.counter.keepDays
        let counter = configuration.counter
        outbox = try Outbox(
            directory: counter.state,
            counter: CounterIdentity(id: counter.id, tenant: counter.tenant, store: counter.store), options: options)
        engine = DeliveryEngine(
            outbox: outbox, sinks: sinks.map { MeteredSink($0, metrics) },
            schedules: try Self.schedules(configuration.sinks),
            logger: logger)
        journal = WatchedJournal(outbox)
        service = try CounterService(setting, journal: journal, metrics: metrics)
    }

    private static func schedules(_ tables: [SinkTable]) throws(SettingError) -> [String: DeliverySchedule] {
        var schedules: [String: DeliverySchedule] = [:]
        for table in tables { schedules[table.name] = try DeliverySchedule(table) }
        return schedules
    }

    /// Runs until the task is cancelled.
    ///
    /// - Parameters:
    ///   - http: what speaks HTTP.
    ///   - onReady: called once it listens, with the address.
    /// - Throws: what a part of it failed with; the others were ended then.
    public func run(_ http: some CounterHTTP, onReady: @escaping @Sendable (ListenAddress) -> Void = { _ in })
        async throws
    {
        logger.notice("this is a test counter: not for accepting payments", metadata: ["version": "\(version)"])
        await releaseParked()
        let (service, engine, notifier) = (service, engine, notifier)
        let parts: [any Service] = [
            Part("deliveries") { await engine.run() },
            Part("reader loop") { await service.run() },
            Part("watchdog") { [self] in await Watchdog(self, notifier).run() },
            Part("memory") { [outbox] in
                await Rest(lastTap: { outbox.lastTap }, giveBack: ResidentMemory.giveBack).run()
            },
            Part("http") {
                try await http.run { address in
                    notifier.ready("Listening at \(address)")
                    onReady(address)
                }
            },
        ]
        var configuration = ServiceGroupConfiguration(services: parts, logger: quietLogger)
        configuration.maximumGracefulShutdownDuration = .seconds(25)
        let group = ServiceGroup(configuration: configuration)
        // Not a child task: cancelling it would cut off what is under way.
        let work = Task { try await group.run() }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            notifier.stopping()
            Task { await group.triggerGracefulShutdown() }
        }
        logger.notice("the counter has ended")
        if case .failure(let error) = result, !Task.isCancelled { throw error }
    }

    /// The supervisor's own lines are for those who look for a fault.
    private var quietLogger: Logger {
        var quiet = logger
        if quiet.logLevel > .debug { quiet.logLevel = .error }
        return quiet
    }

    /// Reads the key files again; what waited for one of them is released. A file that is wrong leaves all as it was.
    /// - Parameter fresh: the configuration as its file is now, whose keys are taken; everything else stays as it was
    ///   set up. Nil: the files that were named at the start.
    /// - Throws: `ConfigurationError`.
    public func reloadKeys(of fresh: CounterConfiguration? = nil) async throws {
        let ring = try (fresh ?? configuration).keyRing()
        service.replaceKeys(ring)
        logger.notice("the keys were read again", metadata: ["keys": "\(ring.keys.count)"])
        await release(with: ring)
        // A tap that was looked at with the old keys may have been parked meanwhile.
        try? await Task.sleep(for: .seconds(1))
        await release(with: ring)
    }

    private func releaseParked() async {
        if let ring = try? configuration.keyRing() { await release(with: ring) }
    }

    private func release(with ring: VASKeyRing) async {
        do {
            let count = try await outbox.releaseParked(with: ring)
            if count > 0 {
                logger.notice("passes that waited for their key are events now", metadata: ["count": "\(count)"])
            }
        } catch { logger.error("parked passes could not be released", metadata: ["reason": "\(error.reason)"]) }
    }
}

/// One part under supervision; it ends when its task is cancelled.
private struct Part: Service, CustomStringConvertible {
    let description: String
    let work: @Sendable () async throws -> Void

    init(_ description: String, _ work: @escaping @Sendable () async throws -> Void) {
        (self.description, self.work) = (description, work)
    }

    func run() async throws { try await cancelWhenGracefulShutdown(work) }
}

extension CounterSetting {
    /// What a configuration says about the reader loop.
    init(_ configuration: CounterConfiguration, logger: Logger) throws {
        let counter = configuration.counter
        var payment: (amount: Decimal, currency: String)?
        if counter.mode != .vas, let amount = counter.amount { payment = (amount, counter.currency ?? "EUR") }
        let passes = counter.mode == .pay ? [] : configuration.passes
        self.init(
            reader: counter.reader, passes: passes.map { ($0.id, $0.url.flatMap { URL(string: $0) }) },
            payment: payment)
        if case .every(let pause) = counter.tap { tap = .every(pause) }
        ring = try configuration.keyRing()
        if let key = try configuration.pspPublicKey() { self.payment.provider = ProviderKey(key) }
        self.logger = logger
    }
}
