// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ISO7816
internal import LoyaltyFeed
internal import Metrics

/// What the counter counts. Labels never hold anything of a pass or a card.
struct CounterMetrics: Sendable {
    private let factory: any MetricsFactory
    private let duration: Metrics.Timer
    private let connected: Gauge
    private let recoveries: Metrics.Counter
    private let unknownKeys: Metrics.Counter

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        duration = Metrics.Timer(label: "countertop_tap_duration_seconds", factory: factory)
        connected = Gauge(label: "countertop_reader_connected", factory: factory)
        recoveries = Metrics.Counter(label: "countertop_reader_recoveries_total", factory: factory)
        unknownKeys = Metrics.Counter(label: "countertop_unknown_key_total", factory: factory)
        connected.record(0)
    }

    private func count(_ label: String, _ dimensions: [(String, String)], by amount: Int = 1) {
        Metrics.Counter(label: label, dimensions: dimensions, factory: factory).increment(by: amount)
    }

    /// One tap that was kept.
    func count(_ record: TapRecord, _ reason: TapReason?, _ trace: APDUTrace?) {
        count("countertop_taps_total", [("wallet", record.wallet), ("result", reason?.code ?? "read")])
        duration.recordNanoseconds(Int64(record.latencyMilliseconds * 1_000_000))
        for exchange in trace?.exchanges ?? [] {
            count("countertop_apdu_exchanges_total", [("sw", Hex.encode(exchange.response.suffix(2)))])
        }
    }

    /// A tap that could not be kept.
    func countNotKept() { count("countertop_taps_total", [("wallet", "unknown"), ("result", "notKept")]) }

    /// Pass data that did not open.
    func decryptFailed(_ code: String) {
        count("countertop_decrypt_failures_total", [("reason", code)])
        if code == "unknownKey" { unknownKeys.increment() }
    }

    /// The reader is there, or gone.
    func reader(isConnected: Bool) { connected.record(isConnected ? 1 : 0) }

    /// The reader came back.
    func readerRecovered() { recoveries.increment() }
}
