// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How much longer than /bin/true the tool takes to say its version. `COUNTERTOP_TOOL` names the binary.
func benchmarkStartUp(rounds: Int) throws -> Row {
    let name = "countertop --version, more than /bin/true"
    guard let tool = ProcessInfo.processInfo.environment["COUNTERTOP_TOOL"] else {
        return Row(name: name, figure: "COUNTERTOP_TOOL is not set", target: "at most 30 ms", holds: nil)
    }
    let comparison = try ratio(rounds: rounds) {
        try launch(tool, ["--version"])
    } baseline: {
        try launch("/bin/true", [])
    }
    let more = (comparison.ours - comparison.baseline) / 1e6
    return Row(
        name: name,
        figure: String(format: "%.1f ms (%.1f to %.1f)", more, comparison.ours / 1e6, comparison.baseline / 1e6),
        target: "at most 30 ms", holds: more <= 30)
}

private func launch(_ program: String, _ arguments: [String]) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    return try nanoseconds {
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkFailure("\(program) failed") }
    }
}
