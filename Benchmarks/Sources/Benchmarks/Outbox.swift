// SPDX-License-Identifier: Apache-2.0

import CBaseline
import Foundation
import Logging
import LoyaltyFeed
import Synchronization

/// Commits of one tap with one event, one after the other, against a bare SQLite loop in C that writes the same rows and
/// bytes with the same pragmas into a file with the same tables.
func benchmarkOutbox(rounds: Int, perRound: Int) async throws -> [Row] {
    let folders = try (0..<2).map { _ in try BenchmarkFolder() }
    defer { withExtendedLifetime(folders) {} }
    let outbox = try Outbox(directory: folders[0].path, counter: CounterIdentity(id: "c1"))
    try { _ = try Outbox(directory: folders[1].path, counter: CounterIdentity(id: "c1")) }()
    guard let baseline = baseline_outbox_open(folders[1].path + "/outbox.sqlite") else {
        throw BenchmarkFailure("the C baseline cannot open its file")
    }
    defer { baseline_outbox_close(baseline) }
    let ids = ULIDGenerator()
    let sample = try await sampleBody(outbox, ids)

    var number: Int64 = 1
    func ours() async throws -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        for _ in 0..<perRound { _ = try await outbox.commit(benchmarkTap(ids.next())) }
        return Double(DispatchTime.now().uptimeNanoseconds - start) / Double(perRound)
    }
    func theirs() throws -> Double {
        try nanoseconds {
            for _ in 0..<perRound {
                number += 1
                let id = ids.next().description
                guard
                    baseline_outbox_commit(
                        baseline, number, id, 1_795_225_200_000, benchmarkReader, sample.passes, benchmarkTrace,
                        sample.body) == 0
                else { throw BenchmarkFailure("the C baseline cannot commit") }
            }
        } / Double(perRound)
    }
    var (oursTimes, theirTimes): ([Double], [Double]) = ([], [])
    for round in 0..<rounds {
        if round.isMultiple(of: 2) { oursTimes.append(try await ours()) }
        theirTimes.append(try theirs())
        if !round.isMultiple(of: 2) { oursTimes.append(try await ours()) }
    }
    let (mine, bare) = (1e9 / median(oursTimes), 1e9 / median(theirTimes))
    let together = try await commitTogether(outbox, ids, count: rounds * perRound)
    return [
        Row(
            name: "events committed per second / bare SQLite",
            figure: String(format: "%.3f (%.0f to %.0f)", mine / bare, mine, bare), target: "at least 0.70",
            holds: mine / bare >= 0.7),
        Row(
            name: "the same, 64 at a time",
            figure: String(format: "%.3f (%.0f to %.0f)", together / bare, together, bare),
            target: "", holds: nil),
    ]
}

/// Commits that wait for each other share a sync.
private func commitTogether(_ outbox: Outbox, _ ids: ULIDGenerator, count: Int) async throws -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try await withThrowingTaskGroup { group in
        for _ in 0..<64 {
            group.addTask { for _ in 0..<count / 64 { _ = try await outbox.commit(benchmarkTap(ids.next())) } }
        }
        try await group.waitForAll()
    }
    return Double(count) / (Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
}

/// Memory over many commits, with old taps purged on the way as a counter does.
func benchmarkOutboxMemory(count: Int) async throws -> Row {
    let folder = try BenchmarkFolder()
    defer { withExtendedLifetime(folder) {} }
    let outbox = try Outbox(directory: folder.path, counter: CounterIdentity(id: "c1"))
    let ids = ULIDGenerator()
    let lot = 10_000
    func commit(_ lots: Int) async throws {
        for _ in 0..<lots {
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { for _ in 0..<lot / 8 { _ = try await outbox.commit(benchmarkTap(ids.next())) } }
                }
                try await group.waitForAll()
            }
            _ = try await outbox.purge(before: Date.distantFuture)
        }
    }
    try await commit(max(2, count / lot / 20))
    let before = residentKiB()
    try await commit(count / lot)
    let growth = residentKiB() - before
    return Row(
        name: "memory growth over \(count) commits", figure: "\(growth) KiB", target: "less than 1024 KiB",
        holds: growth < 1024)
}

/// A week of 1,000 taps a day, queued, then drained in order to a sink in this process.
func benchmarkDrain(count: Int = 7_000) async throws -> Row {
    let folder = try BenchmarkFolder()
    defer { withExtendedLifetime(folder) {} }
    let outbox = try Outbox(directory: folder.path, counter: CounterIdentity(id: "c1"))
    let ids = ULIDGenerator()
    for _ in 0..<count { _ = try await outbox.commit(benchmarkTap(ids.next())) }
    let sink = CountingSink()
    let engine = DeliveryEngine(
        outbox: outbox, sinks: [sink], logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
    let start = DispatchTime.now().uptimeNanoseconds
    let run = Task { await engine.run() }
    while sink.taken < count { try await Task.sleep(for: .milliseconds(2)) }
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    run.cancel()
    await run.value
    return Row(
        name: "\(count) queued events drained in order", figure: String(format: "%.2f s", seconds),
        target: "less than 60 s", holds: seconds < 60 && sink.isInOrder)
}

private final class CountingSink: Sink {
    let name = "counting"
    let batchLimit = 1
    private let sequences = Mutex<[UInt64]>([])

    func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        sequences.withLock { $0 += events.map(\.event.sequence) }
        return events.map { _ in DeliveryReport(.delivered, detail: "counted") }
    }

    func close() async {}

    var taken: Int { sequences.withLock { $0.count } }
    var isInOrder: Bool { sequences.withLock { $0 == (1...UInt64($0.count)).map { $0 } } }
}

private let benchmarkReader = "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00"
private let benchmarkTrace = "# WHAT: a tap\n# SOURCE: synthetic\n" + String(repeating: "80CA0101", count: 200)

private func benchmarkTap(_ id: ULID) -> TapRecord {
    let pass = PassRecord(
        passTypeIdentifier: "pass.com.example.club", statusWord: 0x9000,
        outcome: .read(
            member: "MEMBER-10023", keyID: "beef7375", deviceTime: Date(timeIntervalSince1970: 1_795_225_199)))
    return TapRecord(
        id: id, began: Date(timeIntervalSince1970: 1_795_225_200), readerName: benchmarkReader, result: .read,
        mode: "vas", latencyMilliseconds: 212.5, passes: [pass], trace: benchmarkTrace)
}

/// What our outbox writes for such a tap.
private func sampleBody(_ outbox: Outbox, _ ids: ULIDGenerator) async throws -> (passes: String, body: String) {
    _ = try await outbox.commit(benchmarkTap(ids.next()))
    guard let event = try await outbox.events(after: 0, limit: 1).first else {
        throw BenchmarkFailure("the outbox has no event")
    }
    // As long as the text that the outbox keeps of the pass.
    let passes =
        #"[{"type":"pass.com.example.club","status":36864,"member":"MEMBER-10023","key":"beef7375","#
        + #""time":1795225199000}]"#
    return (passes, String(decoding: event.outgoing.body, as: UTF8.self))
}

/// A folder that goes away, where the build is: on a disk rather than in memory.
private final class BenchmarkFolder {
    let path: String

    init() throws {
        path = FileManager.default.currentDirectoryPath + "/.build/bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
