// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One line of the table.
struct Row {
    var name: String
    var figure: String
    var target: String
    var holds: Bool?
}

/// Nanoseconds that `body` takes.
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start)
}

/// Runs both in turn, so that whatever else the machine does hits both, and divides the medians.
func ratio(rounds: Int, ours: () throws -> Double, baseline: () throws -> Double) rethrows -> Comparison {
    var oursTimes: [Double] = []
    var baselineTimes: [Double] = []
    for round in 0..<rounds {
        if round.isMultiple(of: 2) {
            oursTimes.append(try ours())
            baselineTimes.append(try baseline())
        } else {
            baselineTimes.append(try baseline())
            oursTimes.append(try ours())
        }
    }
    return Comparison(ours: median(oursTimes), baseline: median(baselineTimes))
}

/// Two medians of one run, in nanoseconds.
struct Comparison {
    var ours: Double
    var baseline: Double
    var ratio: Double { ours / baseline }

    func row(_ name: String, atMost limit: Double) -> Row {
        let figure = String(
            format: "%.3f (%.1f µs to %.1f µs)", ratio, ours / 1000, baseline / 1000)
        return Row(name: name, figure: figure, target: String(format: "at most %.2f", limit), holds: ratio <= limit)
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}

/// Resident memory of this process in KiB (proc(5), `VmRSS` in /proc/self/status).
func residentKiB() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
}

func printTable(_ rows: [Row]) {
    let width = (rows.map(\.name.count).max() ?? 0) + 2
    let figureWidth = (rows.map(\.figure.count).max() ?? 0) + 2
    for row in rows {
        let mark = row.holds.map { $0 ? "ok" : "MISSED" } ?? ""
        print(
            row.name.padding(toLength: width, withPad: " ", startingAt: 0)
                + row.figure.padding(toLength: figureWidth, withPad: " ", startingAt: 0)
                + row.target.padding(toLength: 24, withPad: " ", startingAt: 0) + mark)
    }
}

/// Prints the table and ends; the exit code says whether every limit holds.
func finish(_ rows: [Row]) -> Never {
    printTable(rows)
    exit(rows.contains { $0.holds == false } ? 1 : 0)
}
