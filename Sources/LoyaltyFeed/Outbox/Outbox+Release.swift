// SPDX-License-Identifier: Apache-2.0

public import AppleVAS
internal import Foundation
internal import GRDB
internal import HostSystem
internal import Synchronization

extension Outbox {
    /// Attaches a basket to a tap's events that wait for one, and releases them. A parked pass gets it too, and goes on
    /// waiting for its key. The same basket once more, from who did not hear the answer, changes nothing.
    ///
    /// - Parameters:
    ///   - json: a JSON object of at most ``TapEvent/basketLimit`` bytes; kept without blanks.
    ///   - tap: the tap.
    public func attachBasket(_ json: String, to tap: ULID) async throws(OutboxError) -> BasketOutcome {
        try requireCounter("attaches baskets in")
        guard let basket = TapEvent.basketText(json) else { return .invalid }
        let hasWindow = options.basketWindow > .zero
        let (outcome, last) = try await writer.write { db, numbers -> (BasketOutcome, Int64?) in
            let sql = "SELECT number FROM tap WHERE id = ?"
            guard let number = try Int64.fetchOne(db, sql: sql, arguments: [tap.description]) else {
                return (.unknownTap, nil)
            }
            guard hasWindow else { return (.noWindow, nil) }
            return try BasketRows.attach(basket, to: number, db, &numbers)
        }
        if let last { listeners.tell([.event(last)]) }
        return outcome
    }

    /// Releases the events whose wait for a basket is over.
    ///
    /// - Returns: until when the next one waits, by ``HostTime/uptime``; nil when none does.
    @discardableResult
    public func releaseDue() async throws(OutboxError) -> Duration? {
        try requireCounter("releases events of")
        let (uptime, now) = (options.clock.uptime(), EventTime.milliseconds(options.clock.now()))
        let window = options.basketWindow
        let known = windows.withLock { $0 }
        let (released, next, last) = try await writer.write { db, numbers -> ([Int64], [Int64: Duration], Int64) in
            var (released, next): ([Int64], [Int64: Duration]) = ([], [:])
            for waiting in try WaitingRows.fetch(db, .basket) {
                let sequence = waiting.sequence
                // Of an earlier process: by the wall clock, and never longer than a window from now.
                let left = Duration.milliseconds(max(0, waiting.until - now))
                let end = known[sequence] ?? uptime + min(left, window)
                if end > uptime {
                    next[sequence] = end
                } else {
                    try WaitingRows.release(db, sequence, waiting.event, &numbers)
                    released.append(sequence)
                }
            }
            return (released, next, numbers.position)
        }
        windows.withLock { windows in
            // Released here, or by a basket meanwhile; what was committed after `known` was read stays.
            for sequence in known.keys where next[sequence] == nil { windows[sequence] = nil }
            for (sequence, end) in next where windows[sequence] == nil { windows[sequence] = end }
        }
        if !released.isEmpty { listeners.tell([.event(last)]) }
        return next.values.min()
    }

    /// Passes that wait for their key.
    public func parked() async throws(OutboxError) -> [ParkedCryptogram] {
        try await read { db in try WaitingRows.fetch(db, .key).compactMap(\.parked) }
    }

    /// Opens parked passes with keys that have arrived, and releases their events.
    ///
    /// - Parameter decrypt: what is in a pass, or nil when no key here opens it.
    /// - Returns: how many events were released.
    @discardableResult
    public func releaseParked(
        with decrypt: @Sendable (ParkedCryptogram) -> ReleasedPayload?
    ) async throws(OutboxError) -> Int {
        try requireCounter("releases parked passes of")
        var opened: [ULID: ReleasedPayload] = [:]
        for parked in try await parked() { opened[parked.event] = decrypt(parked) }
        guard !opened.isEmpty else { return 0 }
        let payloads = opened
        let (count, last) = try await writer.write { db, numbers -> (Int, Int64) in
            var count = 0
            for waiting in try WaitingRows.fetch(db, .key) {
                guard var event = waiting.event, let payload = payloads[event.id] else { continue }
                // One that is too long has no business in an event, as one that is no text has none.
                event.member = payload.member.flatMap { $0.utf8.count > TapEvent.messageLimit ? nil : $0 }
                event.deviceTime = payload.deviceTime
                event.partitionKey = event.member.flatMap {
                    self.partitionKey(of: $0, event.passTypeIdentifier ?? "")
                }
                try WaitingRows.release(db, waiting.sequence, event, &numbers)
                count += 1
            }
            return (count, numbers.position)
        }
        if count > 0 { listeners.tell([.event(last)]) }
        return count
    }

    /// Opens parked passes with the keys of a ring, each at the time when it was read.
    @discardableResult
    public func releaseParked(with ring: VASKeyRing) async throws(OutboxError) -> Int {
        try await releaseParked { parked in
            let result = ring.decrypt(
                parked.cryptogram, passTypeIdentifier: parked.passTypeIdentifier, at: parked.read)
            guard case .success(let payload) = result else { return nil }
            return ReleasedPayload(member: TapEvent.text(ofMessage: payload.message), deviceTime: payload.timestamp)
        }
    }
}

/// An event that waits.
struct WaitingEvent {
    let sequence: Int64
    /// What its body says; nil when that cannot be read.
    let event: TapEvent?
    let until: Int64
    let cryptogram: [UInt8]?

    var parked: ParkedCryptogram? {
        guard let cryptogram, let event else { return nil }
        return ParkedCryptogram(
            event: event.id, tap: event.tap, passTypeIdentifier: event.passTypeIdentifier ?? "",
            keyID: event.keyID ?? "", cryptogram: cryptogram, read: event.time)
    }
}

/// Events before their release.
enum WaitingRows {
    static func fetch(
        _ db: Database, _ waits: EventDraft.Waits, _ condition: String = "", _ arguments: StatementArguments = []
    ) throws -> [WaitingEvent] {
        let sql = """
            SELECT body, until, cryptogram, sequence FROM event WHERE waits > 0 AND waits = ? \(condition)
            ORDER BY sequence
            """
        return try Row.fetchAll(db, sql: sql, arguments: [waits.rawValue] + arguments).map { row in
            let body: String = row[0]
            let cryptogram: Data? = row[2]
            return WaitingEvent(
                sequence: row[3], event: try? TapEvent(body: Array(body.utf8)), until: row[1] ?? 0,
                cryptogram: cryptogram.map(Array.init))
        }
    }

    /// Gives the event its position and its final body; without one the body stays as it is. The cryptogram goes.
    static func release(
        _ db: Database, _ sequence: Int64, _ event: TapEvent?, _ numbers: inout OutboxCounters
    ) throws {
        numbers.position += 1
        try db.execute(
            sql: """
                UPDATE event SET position = ?, waits = 0, until = NULL, cryptogram = NULL, body = coalesce(?, body)
                WHERE sequence = ?
                """,
            arguments: [numbers.position, try event.map { try OutboxRows.text(of: $0) }, sequence])
    }
}

/// Baskets on their way into events.
private enum BasketRows {
    /// The outcome, and the last position when events were released.
    static func attach(
        _ basket: String, to tap: Int64, _ db: Database, _ numbers: inout OutboxCounters
    ) throws -> (BasketOutcome, Int64?) {
        let waiting = try WaitingRows.fetch(db, .basket, "AND tap = ?", [tap])
        for waiting in waiting {
            var event = waiting.event
            event?.basket = basket
            try WaitingRows.release(db, waiting.sequence, event, &numbers)
        }
        let parked = try WaitingRows.fetch(db, .key, "AND tap = ?", [tap])
            .filter { $0.event.map { $0.basket == nil } ?? false }
        for parked in parked {
            guard var event = parked.event else { continue }
            event.basket = basket
            try db.execute(
                sql: "UPDATE event SET body = ? WHERE sequence = ?",
                arguments: [try OutboxRows.text(of: event), parked.sequence])
        }
        if !waiting.isEmpty || !parked.isEmpty { return (.attached, waiting.isEmpty ? nil : numbers.position) }
        return (try has(basket, tap, db) ? .attached : .tooLate, nil)
    }

    private static func has(_ basket: String, _ tap: Int64, _ db: Database) throws -> Bool {
        let bodies = try String.fetchAll(db, sql: "SELECT body FROM event WHERE tap = ?", arguments: [tap])
        return bodies.contains { (try? TapEvent(body: Array($0.utf8)))?.basket == basket }
    }
}
