// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GRDB
internal import Synchronization

/// Puts writes one after the other, those that wait together into one transaction: one sync for all of them.
final class OutboxWriter: Sendable {
    /// A write. It may run twice: once with others, and once alone when one of the others failed.
    private struct Job: Sendable {
        let run: @Sendable (Database, inout OutboxCounters) throws -> Void
        let finish: @Sendable (OutboxError?) -> Void
    }

    private struct Line {
        var jobs: [Job] = []
        var isDraining = false

        /// Nobody drains any more; false when there is something left to do.
        mutating func stop() -> Bool {
            isDraining = !jobs.isEmpty
            return !isDraining
        }
    }

    /// How many writes share a transaction at most.
    private static let limit = 128

    let database: DatabasePool
    private let queue = DispatchQueue(label: "countertop.outbox", qos: .userInitiated)
    private let line = Mutex(Line())
    private let counters: Mutex<OutboxCounters>

    init(_ database: DatabasePool, counters: OutboxCounters) {
        self.database = database
        self.counters = Mutex(counters)
    }

    /// The last numbers that are on the disk.
    var lastNumbers: OutboxCounters { counters.withLock { $0 } }

    /// One write, durable when this returns. It is done even when the caller's task is cancelled.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database, inout OutboxCounters) throws -> Value
    ) async throws(OutboxError) -> Value {
        let box = Box<Value>()
        let error: OutboxError? = await withCheckedContinuation { continuation in
            add(
                Job { db, counters in
                    let value = try body(db, &counters)
                    box.value.withLock { $0 = value }
                } finish: {
                    continuation.resume(returning: $0)
                })
        }
        if let error { throw error }
        guard let value = box.value.withLock({ $0 }) else { throw OutboxError(.failed, "a write gave nothing") }
        return value
    }

    private func add(_ job: Job) {
        let isFirst = line.withLock { line in
            line.jobs.append(job)
            defer { line.isDraining = true }
            return !line.isDraining
        }
        // A write that waits for nobody is made here: two changes of thread would take longer than it does. What has
        // lined up meanwhile goes together, on a thread of its own.
        if isFirst, drain(), !line.withLock({ $0.stop() }) { queue.async { while self.drain() {} } }
    }

    /// Whether there was something to do.
    private func drain() -> Bool {
        let jobs = line.withLock { line in
            let jobs = Array(line.jobs.prefix(Self.limit))
            line.jobs.removeFirst(jobs.count)
            line.isDraining = !jobs.isEmpty
            return jobs
        }
        if !jobs.isEmpty { perform(jobs) }
        return !jobs.isEmpty
    }

    private func perform(_ jobs: [Job]) {
        let error = transaction(jobs)
        if error == nil || jobs.count == 1 {
            for job in jobs { job.finish(error) }
        } else {
            for job in jobs { job.finish(transaction([job])) }
        }
    }

    private func transaction(_ jobs: [Job]) -> OutboxError? {
        let before = lastNumbers
        var numbers = before
        do {
            try database.writeWithoutTransaction { db in
                // As `inTransaction` does, with statements that are compiled once.
                try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
                do {
                    for job in jobs { try job.run(db, &numbers) }
                    try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
                } catch {
                    if db.isInsideTransaction { try? db.rollback() }
                    throw error
                }
            }
        } catch {
            return OutboxError(error)
        }
        counters.withLock { $0 = numbers }
        return nil
    }
}

/// A mutex that closures can share.
private final class Box<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
