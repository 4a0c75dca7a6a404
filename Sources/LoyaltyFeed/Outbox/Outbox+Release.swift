// SPDX-License-Identifier: Apache-2.0

public import AppleVAS
internal import Foundation
internal import GRDB
internal import HostSystem
internal import Synchronization

extension Outbox {
    /// Attaches a basket to a tap's events that wait for one, and releases them.
    ///
    /// - Parameters:
    ///   - json: a JSON object of at most ``TapEvent/basketLimit`` bytes; kept without blanks.
    ///   - tap: the tap.
    public func attachBasket(_ json: String, to tap: ULID) async throws(OutboxError) -> BasketOutcome {
        guard let basket = TapEvent.basketText(json) else { return .invalid }
        let hasWindow = options.basketWindow > .zero
        let (outcome, last) = try await writer.write { db, numbers -> (BasketOutcome, Int64) in
            let sql = "SELECT number FROM tap WHERE id = ?"
            guard let number = try Int64.fetchOne(db, sql: sql, arguments: [tap.description]) else {
                return (.unknownTap, 0)
            }
            guard hasWindow else { return (.noWindow, 0) }
            let waiting = try WaitingRows.fetch(db, .basket, "AND tap = ?", [number])
            for waiting in waiting {
                var event = waiting.event
                event.basket = basket
                try WaitingRows.release(db, event, &numbers)
            }
            return (waiting.isEmpty ? .tooLate : .attached, numbers.position)
        }
        if outcome == .attached { listeners.tell([.event(last)]) }
        return outcome
    }

    /// Releases the events whose wait for a basket is over, and drops passes that waited too long for their key.
    ///
    /// - Returns: until when the next one waits, by ``HostTime/uptime``; nil when none does.
    @discardableResult
    public func releaseDue() async throws(OutboxError) -> Duration? {
        let (uptime, now) = (options.clock.uptime(), EventTime.milliseconds(options.clock.now()))
        let window = options.basketWindow
        let known = windows.withLock { $0 }
        let (released, next, last) = try await writer.write { db, numbers -> ([Int64], [Int64: Duration], Int64) in
            try WaitingRows.drop(db, until: now, numbers)
            var (released, next): ([Int64], [Int64: Duration]) = ([], [:])
            for waiting in try WaitingRows.fetch(db, .basket) {
                let sequence = Int64(waiting.event.sequence)
                // Of an earlier process: by the wall clock, and never longer than a window from now.
                let left = Duration.milliseconds(max(0, waiting.until - now))
                let end = known[sequence] ?? uptime + min(left, window)
                if end > uptime {
                    next[sequence] = end
                } else {
                    try WaitingRows.release(db, waiting.event, &numbers)
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
        var opened: [ULID: ReleasedPayload] = [:]
        for parked in try await parked() { opened[parked.event] = decrypt(parked) }
        guard !opened.isEmpty else { return 0 }
        let payloads = opened
        let (count, last) = try await writer.write { db, numbers -> (Int, Int64) in
            var count = 0
            for waiting in try WaitingRows.fetch(db, .key) {
                guard let payload = payloads[waiting.event.id] else { continue }
                var event = waiting.event
                (event.member, event.deviceTime) = (payload.member, payload.deviceTime)
                event.partitionKey = payload.member.flatMap {
                    self.partitionKey(of: $0, event.passTypeIdentifier ?? "")
                }
                try WaitingRows.release(db, event, &numbers)
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
    let event: TapEvent
    let until: Int64
    let cryptogram: [UInt8]?

    var parked: ParkedCryptogram? {
        cryptogram.map { cryptogram in
            ParkedCryptogram(
                event: event.id, tap: event.tap, passTypeIdentifier: event.passTypeIdentifier ?? "",
                keyID: event.keyID ?? "", cryptogram: cryptogram, read: event.time)
        }
    }
}

/// Events before their release.
enum WaitingRows {
    static func fetch(
        _ db: Database, _ waits: EventDraft.Waits, _ condition: String = "", _ arguments: StatementArguments = []
    ) throws -> [WaitingEvent] {
        let sql = """
            SELECT body, until, cryptogram FROM event WHERE waits > 0 AND waits = ? \(condition) ORDER BY sequence
            """
        return try Row.fetchAll(db, sql: sql, arguments: [waits.rawValue] + arguments).map { row in
            let body: String = row[0]
            let cryptogram: Data? = row[2]
            return WaitingEvent(
                event: try TapEvent(body: Array(body.utf8)), until: row[1] ?? 0, cryptogram: cryptogram.map(Array.init))
        }
    }

    /// Drops passes whose key never came; their numbers are not given again.
    static func drop(_ db: Database, until: Int64, _ numbers: OutboxCounters) throws {
        try db.execute(sql: "DELETE FROM event WHERE waits > 0 AND waits = 1 AND until < ?", arguments: [until])
        if db.changesCount > 0 { try numbers.keep(db) }
    }

    /// Gives the event its position and its final body. The cryptogram goes.
    static func release(_ db: Database, _ event: TapEvent, _ numbers: inout OutboxCounters) throws {
        numbers.position += 1
        try db.execute(
            sql: """
                UPDATE event SET position = ?, waits = 0, until = NULL, cryptogram = NULL, body = ? WHERE sequence = ?
                """,
            arguments: [numbers.position, String(decoding: event.body, as: UTF8.self), Int64(event.sequence)])
    }
}
