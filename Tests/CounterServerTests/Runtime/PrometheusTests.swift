// SPDX-License-Identifier: Apache-2.0

import Foundation
import Metrics
import Testing

@testable import CounterServer

@Suite("Prometheus text")
struct PrometheusTests {
    private let metrics = PrometheusMetrics()

    private func counter(_ name: String, _ labels: [(String, String)] = []) -> Metrics.Counter {
        Metrics.Counter(label: name, dimensions: labels, factory: metrics)
    }

    @Test("Counters by their labels, sorted; the same labels in another order are the same series")
    func counters() {
        counter("countertop_taps_total", [("wallet", "apple"), ("result", "read")]).increment()
        counter("countertop_taps_total", [("result", "read"), ("wallet", "apple")]).increment(by: 2)
        counter("countertop_taps_total", [("wallet", "apple"), ("result", "locked")]).increment()
        #expect(
            metrics.text == """
                # HELP countertop_taps_total Taps, by wallet and result.
                # TYPE countertop_taps_total counter
                countertop_taps_total{result="locked",wallet="apple"} 1
                countertop_taps_total{result="read",wallet="apple"} 3

                """)
    }

    @Test("A gauge has its last value")
    func gauges() {
        let gauge = Gauge(label: "countertop_reader_connected", factory: metrics)
        gauge.record(1)
        gauge.record(0)
        let meter = Meter(label: "depth", factory: metrics)
        meter.set(2.5)
        meter.decrement(by: 1)
        #expect(metrics.text.contains("# TYPE countertop_reader_connected gauge\ncountertop_reader_connected 0\n"))
        #expect(metrics.text.contains("\ndepth 1.5\n"))
    }

    @Test("A timer is a histogram of seconds, its buckets added up")
    func histograms() {
        let timer = Metrics.Timer(label: "countertop_tap_duration_seconds", factory: metrics)
        for milliseconds in [1, 3, 30, 20_000] { timer.recordMilliseconds(milliseconds) }
        let lines = metrics.text.split(separator: "\n").map(String.init)
        let name = "countertop_tap_duration_seconds"
        #expect(lines.contains("# TYPE \(name) histogram"))
        for (bound, count) in [("0.001", 1), ("0.0025", 1), ("0.005", 2), ("0.05", 3), ("10", 3), ("+Inf", 4)] {
            #expect(lines.contains("\(name)_bucket{le=\"\(bound)\"} \(count)"))
        }
        #expect(lines.contains("\(name)_sum 20.034") && lines.contains("\(name)_count 4"))
        let labelled = Recorder(label: "size", dimensions: [("a", "b")], aggregate: true, factory: metrics)
        labelled.record(3)
        #expect(metrics.text.contains("size_bucket{a=\"b\",le=\"5\"} 1\n"))
    }

    @Test("Names and labels cannot break a line")
    func escaping() {
        counter("9 odd-name\n", [("sink name", "a\"b\\c\nd"), ("9", String(repeating: "x", count: 500))]).increment()
        let lines = metrics.text.split(separator: "\n")
        #expect(lines.count == 2 && lines.last?.hasPrefix("_9_odd_name_{") == true)
        #expect(lines.last?.contains(#"sink_name="a\"b\\c\nd""#) == true && (lines.last?.count ?? 0) < 200)
    }

    @Test("Labels that grow without end end in one series")
    func cardinality() {
        for number in 0..<5_000 { counter("sw", [("sw", "\(number)")]).increment() }
        let lines = metrics.text.split(separator: "\n").dropFirst()
        #expect(lines.count == PrometheusMetrics.seriesLimit)
        #expect(lines.contains(#"sw{sw="other"} \#(5_000 - PrometheusMetrics.seriesLimit + 1)"#))
    }

    @Test("A name is of one kind; numbers that are none are left out")
    func misuse() {
        counter("a").increment()
        Gauge(label: "a", factory: metrics).record(7)
        Meter(label: "b", factory: metrics).set(Double.nan)
        #expect(metrics.text == "# TYPE a counter\na 1\n# TYPE b gauge\nb 0\n")
    }

    @Test("The process's own numbers")
    func process() throws {
        ProcessMetrics.record(into: metrics, version: "1.2", start: Date(timeIntervalSince1970: 1_795_000_000))
        #expect(metrics.text.contains("countertop_build_info{version=\"1.2\"} 1\n"))
        #expect((ProcessMetrics.residentBytes ?? 0) > 1e6 && (ProcessMetrics.openDescriptors ?? 0) > 2)
        #expect(metrics.text.contains("\nprocess_open_fds "))
        #expect(metrics.text.contains("\nprocess_start_time_seconds 1795000000\n"))
    }
}
