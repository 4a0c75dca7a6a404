// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import Foundation
import ISO7816

/// A long trace replayed from its file, against reading the same file's bytes and nothing else.
func benchmarkReplay(exchanges: Int) throws -> [Row] {
    let file = FileManager.default.temporaryDirectory.appending(path: "countertop-bench-\(UUID().uuidString).apdu")
    defer { try? FileManager.default.removeItem(at: file) }
    let commands = try writeTrace(exchanges, to: file)
    try replay(commands.prefix(1_000), file.path())

    let before = residentKiB()
    let time = try nanoseconds { try replay(commands[...], file.path()) }
    let growth = residentKiB() - before
    let rate = Double(exchanges) / (time / 1e9)
    return [
        Row(
            name: "replay of \(exchanges) exchanges", figure: String(format: "%.0f exchanges per second", rate),
            target: "", holds: nil),
        Row(
            name: "memory growth of that replay", figure: "\(growth) KiB", target: "less than 1024 KiB",
            holds: growth < 1024),
    ]
}

/// A read of pass data each, all different, so that nothing can be answered from memory.
private func writeTrace(_ count: Int, to file: URL) throws -> [[UInt8]] {
    var text = "# WHAT: a long trace\n# SOURCE: synthetic, made by the benchmark\n"
    var commands: [[UInt8]] = []
    for index in 0..<count {
        let number = withUnsafeBytes(of: UInt32(index).bigEndian, Array.init)
        let command: [UInt8] = [0x80, 0xCA, 0x01, 0x01, 0x04] + number + [0x00]
        commands.append(command)
        text += Hex.encode(command) + "\n" + Hex.encode(number + [UInt8](repeating: 0x55, count: 90)) + "9000\n"
    }
    try Data(text.utf8).write(to: file)
    return commands
}

private func replay(_ commands: ArraySlice<[UInt8]>, _ path: String) throws {
    let channel = StreamingReplayChannel(try TraceStream(file: path), matching: .exact)
    for command in commands {
        guard try channel.transmit(command).suffix(2) == [0x90, 0x00] else {
            throw BenchmarkFailure("the trace answers something else")
        }
    }
}
