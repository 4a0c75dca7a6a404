// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Metrics

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The process's own numbers, by the names every Prometheus client library has.
enum ProcessMetrics {
    /// Looks them up now.
    ///
    /// - Parameter start: when the process began its work.
    static func record(into factory: any MetricsFactory, version: String, start: Date) {
        Meter(label: "countertop_build_info", dimensions: [("version", version)], factory: factory).set(1)
        func set(_ label: String, _ value: Double?) {
            if let value { Meter(label: label, factory: factory).set(value) }
        }
        set("process_resident_memory_bytes", residentBytes)
        set("process_open_fds", openDescriptors.map(Double.init))
        set("process_start_time_seconds", start.timeIntervalSince1970)
    }

    /// From /proc/self/statm: pages, of which the second number is resident (proc(5)).
    static var residentBytes: Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let words = text.split(separator: " ")
        return words.count > 1 ? Double(words[1]).map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    /// Entries of /proc/self/fd, without the one that looks.
    static var openDescriptors: Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { max(0, $0.count - 1) }
    }
}
