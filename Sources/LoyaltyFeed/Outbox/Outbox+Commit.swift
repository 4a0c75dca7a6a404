// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import HostSystem
internal import ISO7816
internal import Synchronization
internal import WalletCrypto

extension Outbox {
    /// Commits a tap with its events: durable when this returns.
    ///
    /// Each pass that was read or parked is an event; a payment card without such a pass is one; anything else none. A
    /// pass with a message longer than ``TapEvent/messageLimit`` is kept as one that failed.
    /// - Throws: `duplicate` when the tap is there already, `full`, `busy`, `failed`; then nothing of it is kept.
    public func commit(_ tap: TapRecord) async throws(OutboxError) -> CommittedTap {
        try requireCounter("commits taps to")
        let tap = tap.withoutOverlongMessages
        let drafts = self.drafts(of: tap)
        let window = options.basketWindow
        let now = EventTime.milliseconds(options.clock.now())
        let limits = (key: parkedUntil, basket: now + window.milliseconds, ranFor: running.now)
        let committed = try await writer.write { db, numbers in
            do {
                return try OutboxRows.insert(tap, drafts, hasWindow: window > .zero, limits, db, &numbers)
            } catch let error as DatabaseError where OutboxRows.isDuplicate(error) {
                throw OutboxError(.duplicate, "the tap \(tap.id) is in the outbox already")
            }
        }
        remember(committed, window)
        var changes: [OutboxChange] = [.tap(committed.id)]
        if let last = committed.events.compactMap(\.position).max() { changes.append(.event(last)) }
        listeners.tell(changes)
        return committed
    }

    /// Refuses what only the process may do that has the numbers and the windows in its memory.
    func requireCounter(_ what: String) throws(OutboxError) {
        guard !identity.id.isEmpty else {
            throw OutboxError(.notTheCounter, "only the counter itself \(what) its outbox")
        }
    }

    private func remember(_ committed: CommittedTap, _ window: Duration) {
        guard window > .zero else { return }
        let end = options.clock.uptime() + window
        windows.withLock { windows in
            for event in committed.events where event.position == nil { windows[Int64(event.sequence)] = end }
        }
    }

    /// The tap's events, without their sequence.
    private func drafts(of tap: TapRecord) -> [EventDraft] {
        var drafts: [EventDraft] = []
        for pass in tap.passes {
            var event = blank(tap, drafts.isEmpty ? tap.id : ids.next(), .loyalty)
            event.passTypeIdentifier = pass.passTypeIdentifier
            switch pass.outcome {
            case .read(let member, let keyID, let deviceTime):
                (event.member, event.keyID, event.deviceTime) = (member, keyID.lowercased(), deviceTime)
                event.partitionKey = member.flatMap { partitionKey(of: $0, pass.passTypeIdentifier) }
                drafts.append(EventDraft(event: event))
            case .parked(let cryptogram, let keyID):
                event.keyID = keyID.lowercased()
                drafts.append(EventDraft(event: event, cryptogram: cryptogram))
            case .failed: continue
            }
        }
        if drafts.isEmpty, tap.payment != nil { drafts.append(EventDraft(event: blank(tap, tap.id, .payment))) }
        return drafts
    }

    private func blank(_ tap: TapRecord, _ id: ULID, _ kind: TapEvent.Kind) -> TapEvent {
        var event = TapEvent(
            id: id, source: identity.source, kind: kind, time: tap.began, sequence: 0,
            readerName: tap.readerName.isEmpty ? "unnamed" : tap.readerName,
            mode: tap.mode.isEmpty ? "vas" : tap.mode, latencyMilliseconds: max(0, tap.latencyMilliseconds))
        event.tap = tap.id
        event.wallet = tap.wallet.isEmpty ? "apple" : tap.wallet
        event.payment = tap.payment.map {
            .init(
                scheme: $0.scheme.isEmpty ? "unknown" : $0.scheme, outcome: $0.outcome.isEmpty ? "unknown" : $0.outcome)
        }
        return event
    }

    /// 16 bytes of HMAC-SHA256 over pass type and member, in hex.
    func partitionKey(of member: String, _ passTypeIdentifier: String) -> String? {
        let text = Array(passTypeIdentifier.utf8) + [0] + Array(member.utf8)
        guard let code = try? HMACSHA256.authenticate(text, key: partitionSecret) else { return nil }
        return Hex.encode(code.prefix(16)).lowercased()
    }
}

/// An event that is about to be committed.
struct EventDraft: Sendable {
    var event: TapEvent
    var cryptogram: [UInt8]?

    /// What a value of `event.waits` means.
    enum Waits: Int64, Sendable {
        case no = 0
        case key = 1
        case basket = 2
    }
}

/// Rows as they are written.
enum OutboxRows {
    private static let tapSQL = """
        INSERT INTO tap (number, id, began, reader, code, reason, wallet, mode, latency, scheme, outcome, passes, trace)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let eventSQL = """
        INSERT INTO event (sequence, id, tap, position, type, waits, until, body, cryptogram)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Whether the tap or one of its events is there already; a number that was given twice is another trouble.
    static func isDuplicate(_ error: DatabaseError) -> Bool {
        guard error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE, let message = error.message else { return false }
        return ["tap.id", "event.id"].contains { message.hasSuffix(": \($0)") }
    }

    /// A body as it is kept: what a reader of it would refuse is not written.
    static func text(of event: TapEvent) throws(OutboxError) -> String {
        let body = event.body
        guard body.count <= TapEvent.bodyLimit else {
            throw OutboxError(
                .tooLarge, "an event has \(body.count) bytes, more than the \(TapEvent.bodyLimit) there may be")
        }
        return String(decoding: body, as: UTF8.self)
    }

    static func insert(
        _ tap: TapRecord, _ drafts: [EventDraft], hasWindow: Bool, _ limits: (key: Int64, basket: Int64, ranFor: Int64),
        _ db: Database, _ numbers: inout OutboxCounters
    ) throws -> CommittedTap {
        numbers.tap += 1
        let failure: (code: String, reason: String)? =
            if case .failed(let code, let reason) = tap.result { (code, reason) } else { nil }
        try run(
            db, tapSQL,
            [
                numbers.tap, tap.id.description, EventTime.milliseconds(tap.began), tap.readerName, failure?.code,
                failure?.reason, tap.wallet, tap.mode, max(0, tap.latencyMilliseconds), tap.payment?.scheme,
                tap.payment?.outcome, PassText.write(tap.passes), tap.trace,
            ])
        // The limit below counts from it, and must not come back later than it.
        if drafts.contains(where: { $0.cryptogram != nil }) { try ParkedRows.save(db, limits.ranFor) }
        var events: [EventSummary] = []
        for draft in drafts {
            let waits: EventDraft.Waits = draft.cryptogram != nil ? .key : hasWindow ? .basket : .no
            let until = waits == .key ? limits.key : limits.basket
            events.append(try insert(draft, waits, until: until, db, &numbers))
        }
        return CommittedTap(id: tap.id, cursor: numbers.tap, events: events)
    }

    /// Without counting the arguments each time; the statements are ours.
    private static func run(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws {
        let statement = try db.cachedStatement(sql: sql)
        statement.setUncheckedArguments(arguments)
        try statement.execute()
    }

    private static func insert(
        _ draft: EventDraft, _ waits: EventDraft.Waits, until: Int64, _ db: Database, _ numbers: inout OutboxCounters
    ) throws -> EventSummary {
        numbers.sequence += 1
        if waits == .no { numbers.position += 1 }
        var event = draft.event
        event.sequence = UInt64(numbers.sequence)
        let position = waits == .no ? numbers.position : nil
        try run(
            db, eventSQL,
            [
                numbers.sequence, event.id.description, numbers.tap, position, event.kind.rawValue, waits.rawValue,
                waits == .no ? nil : until, try text(of: event), draft.cryptogram.map { Data($0) },
            ])
        return EventSummary(id: event.id, sequence: event.sequence, position: position, kind: event.kind)
    }
}
