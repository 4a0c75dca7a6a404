// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import LoyaltyFeed

/// 500 events a second through outbox and delivery engine to a private nats-server: whether it keeps up, and whether
/// memory stays where it is after the first part of the run.
func benchmarkNATS(seconds: Int, warmUp: Int) async throws -> [Row] {
    let rate = 500
    let names = ["NATS, \(rate) events/s for \(seconds) s: left behind", "  resident memory, growth after \(warmUp) s"]
    guard let server = try BenchmarkNATSServer() else {
        return names.map { Row(name: $0, figure: "nats-server is not installed", target: "", holds: nil) }
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "countertop-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let outbox = try Outbox(
        directory: folder.path(), counter: CounterIdentity(id: "c1", tenant: "acme", store: "0042"))
    let sink = NATSSink(
        name: "fleet", options: try NATSOptions(url: server.url),
        subject: try NATSSink.subject(tenant: "acme", store: "0042", counter: "c1"), stream: "TAPS",
        making: NATSStreamOptions())
    let logger = Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
    let engine = Task { await DeliveryEngine(outbox: outbox, sinks: [sink], logger: logger).run() }
    let (warm, committed) = try await load(outbox, rate: rate, seconds: seconds, warmUp: warmUp)
    let atEnd = residentKiB()
    let left = try await outbox.statistics().depth
    let drained = try await drain(outbox)
    engine.cancel()
    await engine.value
    let growth = atEnd - warm
    return [
        Row(
            name: names[0],
            figure: "\(left) of \(committed), gone after \(String(format: "%.1f", drained)) s",
            target: "at most \(rate)", holds: left <= rate && committed >= rate * seconds * 99 / 100),
        Row(
            name: names[1], figure: "\(growth) KiB (\(warm) to \(atEnd))", target: "at most 2048 KiB",
            holds: growth <= 2048),
    ]
}

/// Commits taps at a steady rate.
private func load(_ outbox: Outbox, rate: Int, seconds: Int, warmUp: Int) async throws -> (warm: Int, committed: Int) {
    let ids = ULIDGenerator()
    let began = ContinuousClock.now
    var (warm, committed) = (0, 0)
    while committed < rate * seconds {
        let now = Int((ContinuousClock.now - began) / .milliseconds(1)) * rate / 1000
        let due = min(rate * seconds, now, committed + 50)
        // A machine that cannot commit that fast ends the run late, and misses the limit.
        if ContinuousClock.now - began > .seconds(seconds * 11 / 10 + 1) { break }
        while committed < due {
            _ = try await outbox.commit(tap(committed, ids.next()))
            committed += 1
        }
        if warm == 0, ContinuousClock.now - began > .seconds(warmUp) { warm = residentKiB() }
        try await Task.sleep(for: .milliseconds(5))
    }
    return (warm, committed)
}

private func tap(_ number: Int, _ id: ULID) -> TapRecord {
    TapRecord(
        id: id, began: Date(), readerName: "bench", result: .read, mode: "vas", latencyMilliseconds: 1,
        passes: [
            PassRecord(
                passTypeIdentifier: "pass.com.example.club", statusWord: 0x9000,
                outcome: .read(member: "MEMBER-\(number % 5000)", keyID: "beef7375", deviceTime: Date()))
        ])
}

/// Seconds until the sink has everything.
private func drain(_ outbox: Outbox) async throws -> Double {
    let began = ContinuousClock.now
    while try await outbox.statistics().depth > 0 {
        guard ContinuousClock.now - began < .seconds(60) else { throw BenchmarkFailure("the outbox is not drained") }
        try await Task.sleep(for: .milliseconds(50))
    }
    return (ContinuousClock.now - began) / .seconds(1)
}

/// A `nats-server` with JetStream on loopback, a free port, and a folder of its own.
private final class BenchmarkNATSServer {
    let url: String
    private let process = Process()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "countertop-nats-\(UUID().uuidString)")

    /// Nil when it is not installed.
    init?() throws {
        let places = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { "\($0)/nats-server" }
        guard let program = places.first(where: FileManager.default.isExecutableFile) else { return nil }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.executableURL = URL(filePath: program)
        process.arguments = [
            "-a", "127.0.0.1", "-p", "-1", "-js", "-sd", folder.path(), "--ports_file_dir", folder.path(),
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        let file = folder.appending(path: "nats-server_\(process.processIdentifier).ports")
        var found: Substring?
        for _ in 0..<200 where found == nil {
            usleep(20_000)
            found = try? String(contentsOf: file, encoding: .utf8).firstMatch(of: /nats:\/\/127\.0\.0\.1:[0-9]+/)?.0
        }
        guard let found else { throw BenchmarkFailure("nats-server did not come up") }
        url = String(found)
    }

    deinit {
        if process.isRunning {
            process.terminate()
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }
}
