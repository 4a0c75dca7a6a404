// SPDX-License-Identifier: Apache-2.0

public import Metrics
internal import Synchronization

/// swift-metrics as Prometheus text (exposition format 0.0.4).
///
/// Counters, gauges (also recorders that do not aggregate), and histograms (timers, in seconds, and recorders that do).
/// A metric has at most ``seriesLimit`` series: further labels are counted together under `other`, so that nobody who
/// can make labels grow can fill the memory. Usable from any thread.
public final class PrometheusMetrics: MetricsFactory {
    /// How many series one metric has at most.
    public static let seriesLimit = 200

    private let families = Mutex<[String: PrometheusFamily]>([:])

    /// Nothing counted yet.
    public init() {}

    /// All metrics, sorted by name.
    public var text: String {
        let families = families.withLock { $0 }
        return families.sorted { $0.key < $1.key }.map { $0.value.text(name: $0.key) }.joined()
    }

    /// The series of these labels; nil where a metric of this name is of another kind.
    private func series(
        _ kind: PrometheusFamily.Kind, _ label: String, _ dimensions: [(String, String)]
    ) -> PrometheusSeries? {
        let name = PrometheusText.name(label)
        return families.withLock { families in
            var family = families[name] ?? PrometheusFamily(kind: kind)
            guard family.kind == kind else { return nil }
            let series = family.series(dimensions, limit: Self.seriesLimit)
            families[name] = family
            return series
        }
    }

    // MARK: MetricsFactory

    /// A counter.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(.counter, label, dimensions).map { PrometheusNumber($0) } ?? NOOPMetricsHandler.instance
    }

    /// A counter of fractions.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(.counter, label, dimensions).map { PrometheusNumber($0) } ?? NOOPMetricsHandler.instance
    }

    /// A gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(.gauge, label, dimensions).map { PrometheusNumber($0) } ?? NOOPMetricsHandler.instance
    }

    /// A histogram, or a gauge.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(aggregate ? .histogram : .gauge, label, dimensions).map { PrometheusNumber($0) }
            ?? NOOPMetricsHandler.instance
    }

    /// A histogram of seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(.histogram, label, dimensions).map { PrometheusNumber($0) } ?? NOOPMetricsHandler.instance
    }

    // What was counted stays: a series that vanishes looks like a restart.
    /// Keeps the counter.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Keeps the counter.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Keeps the gauge.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Keeps the histogram.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Keeps the histogram.
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// One metric with all its labels.
struct PrometheusFamily {
    enum Kind: String { case counter, gauge, histogram }

    let kind: Kind
    /// By the labels as they are written.
    private var members: [String: PrometheusSeries] = [:]

    init(kind: Kind) { self.kind = kind }

    mutating func series(_ dimensions: [(String, String)], limit: Int) -> PrometheusSeries {
        var labels = PrometheusText.labels(dimensions)
        if members[labels] == nil, members.count >= limit - 1 {
            labels = PrometheusText.labels(dimensions.map { ($0.0, "other") })
        }
        if let series = members[labels] { return series }
        let series = PrometheusSeries(isHistogram: kind == .histogram)
        members[labels] = series
        return series
    }

    func text(name: String) -> String {
        let help = PrometheusText.help[name].map { "# HELP \(name) \($0)\n" } ?? ""
        let lines = members.sorted { $0.key < $1.key }.map { $0.value.text(name: name, labels: $0.key) }
        return help + "# TYPE \(name) \(kind.rawValue)\n" + lines.joined()
    }
}

/// The numbers of one series.
final class PrometheusSeries: Sendable {
    private struct Numbers {
        var value = 0.0
        var count: UInt64 = 0
        /// How many were at most as great as each bound, not added up.
        var buckets: [UInt64]
    }

    /// Seconds, from a millisecond to ten seconds.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let numbers: Mutex<Numbers>
    private let isHistogram: Bool

    init(isHistogram: Bool) {
        self.isHistogram = isHistogram
        numbers = Mutex(Numbers(buckets: isHistogram ? Array(repeating: 0, count: Self.bounds.count) : []))
    }

    func add(_ amount: Double) { numbers.withLock { $0.value += amount } }

    func reset() { numbers.withLock { $0.value = 0 } }

    /// A gauge's value, or one more in a histogram.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        numbers.withLock { numbers in
            guard isHistogram else { return numbers.value = value }
            numbers.value += value
            numbers.count += 1
            if let bucket = Self.bounds.firstIndex(where: { value <= $0 }) { numbers.buckets[bucket] += 1 }
        }
    }

    func text(name: String, labels: String) -> String {
        let numbers = numbers.withLock { $0 }
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        guard isHistogram else { return "\(name)\(braces) \(PrometheusText.number(numbers.value))\n" }
        var (text, total): (String, UInt64) = ("", 0)
        let rest = labels.isEmpty ? "" : labels + ","
        for (bound, count) in zip(Self.bounds, numbers.buckets) {
            total += count
            text += "\(name)_bucket{\(rest)le=\"\(PrometheusText.number(bound))\"} \(total)\n"
        }
        text += "\(name)_bucket{\(rest)le=\"+Inf\"} \(numbers.count)\n"
        return text + "\(name)_sum\(braces) \(PrometheusText.number(numbers.value))\n"
            + "\(name)_count\(braces) \(numbers.count)\n"
    }
}

/// Every handler of swift-metrics, over one series.
final class PrometheusNumber: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private let series: PrometheusSeries

    init(_ series: PrometheusSeries) { self.series = series }

    func increment(by amount: Int64) { series.add(Double(max(0, amount))) }
    func increment(by amount: Double) { if amount.isFinite { series.add(max(0, amount)) } }
    func decrement(by amount: Double) { if amount.isFinite { series.add(-amount) } }
    func reset() { series.reset() }
    func set(_ value: Int64) { series.record(Double(value)) }
    func set(_ value: Double) { series.record(value) }
    func record(_ value: Int64) { series.record(Double(value)) }
    func record(_ value: Double) { series.record(value) }
    func recordNanoseconds(_ duration: Int64) { series.record(Double(duration) / 1e9) }
}
