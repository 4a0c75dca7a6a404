// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import WalletCrypto

@testable import LoyaltyFeed

@Suite("Outbox")
struct OutboxTests {
    @Test("a tap is there, with its event, after the outbox was opened again")
    func durable() async throws {
        let bench = try FeedBench()
        let committed = try await bench.open().commit(Taps.read(1))
        #expect(committed.events == [EventSummary(id: Taps.id(1), sequence: 1, position: 1, kind: .loyalty)])
        let outbox = try bench.open()
        let stored = try #require(try await outbox.tap(Taps.id(1)))
        var record = Taps.read(1)
        record.trace = nil
        #expect(stored.record == record)
        #expect(stored.hasTrace)
        #expect(try await outbox.trace(of: Taps.id(1)) == Taps.read(1).trace)
        let event = try #require(try await outbox.events(after: 0, limit: 10).first)
        #expect(event.position == 1)
        #expect(event.outgoing.event.member == "M-1")
        #expect(event.outgoing.event.source == "/counters/c1")
        #expect(event.outgoing.event.partitionKey?.count == 32)
        #expect(try await outbox.check().isEmpty)
    }

    @Test("files are their owner's alone, and safe when power goes")
    func files() throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(bench.state) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.state) {
            #expect(try mode("\(bench.state)/\(name)") == 0o600, "\(name)")
        }
        let synchronous = try outbox.writer.database.writeWithoutTransaction { db in
            try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        #expect(synchronous == 2)
    }

    @Test("directories: an empty one is made private, one that others write to is refused")
    func directories() throws {
        let bench = try FeedBench()
        let manager = FileManager.default
        try manager.createDirectory(
            atPath: bench.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        _ = try bench.open()
        #expect(try manager.attributesOfItem(atPath: bench.state)[.posixPermissions] as? Int == 0o700)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: bench.state)
        let error = #expect(throws: OutboxError.self) { try bench.open() }
        #expect(error?.code == .notAllowed)
        #expect(error?.hint?.contains("chmod 700") == true)
        let file = try bench.folder.write("file", "x")
        #expect(throws: OutboxError.self) { try Outbox(directory: file, counter: CounterIdentity(id: "c1")) }
        let none = #expect(throws: OutboxError.self) { try Outbox(existingIn: bench.folder.path("none")) }
        #expect(none?.code == .notFound)
    }

    @Test("one process is the counter; others look after the outbox meanwhile")
    func lock() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let error = #expect(throws: OutboxError.self) { try bench.open() }
        #expect(error?.code == .busy)
        _ = try await outbox.commit(Taps.read(1))
        let visitor = try Outbox(existingIn: bench.state)
        #expect(try await visitor.latestTaps(limit: 5).count == 1)
        _ = try await outbox.commit(Taps.read(2))
        #expect(try await visitor.latestTaps(limit: 5).map(\.record.id) == [Taps.id(1), Taps.id(2)])
    }

    @Test("no database, a damaged one, one of a newer version")
    func unsuitable() async throws {
        let bench = try FeedBench()
        do {
            let outbox = try bench.open()
            try await outbox.writer.write { db, _ in
                try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('v99')")
            }
        }
        let newer = #expect(throws: OutboxError.self) { try bench.open() }
        #expect(newer?.code == .unsuitable)
        let file = bench.state + "/outbox.sqlite"
        try Data("no database, and long enough to be looked at; ".utf8).write(to: URL(filePath: file))
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) }
        let damaged = #expect(throws: OutboxError.self) { try bench.open() }
        #expect(damaged?.code == .damaged)
    }

    @Test("what becomes an event: passes that were read or parked, else a payment, never a failure")
    func events() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        var two = Taps.read(1)
        two.passes.append(two.passes[0])
        two.passes[1].passTypeIdentifier = "pass.com.example.other"
        two.passes.append(
            PassRecord(
                passTypeIdentifier: "pass.com.example.third", statusWord: 0x6A83,
                outcome: .failed(code: "notPresent", reason: "no such pass")))
        two.payment = .init(scheme: "visa", outcome: "onlineRequest")
        let both = try await outbox.commit(two)
        #expect(both.events.map(\.kind) == [.loyalty, .loyalty])
        #expect(both.events.map(\.sequence) == [1, 2])
        #expect(both.events[0].id == two.id)
        var paid = Taps.failed(2)
        (paid.result, paid.payment) = (.read, .init(scheme: "mastercard", outcome: ""))
        #expect(try await outbox.commit(paid).events.map(\.kind) == [.payment])
        #expect(try await outbox.commit(Taps.failed(3)).events.isEmpty)
        let stored = try await outbox.taps(after: nil, limit: 10)
        #expect(stored.map(\.cursor) == [1, 2, 3])
        #expect(stored[0].record.passes == two.passes)
        #expect(stored[2].record.result == Taps.failed(3).result)
        let events = try await outbox.events(after: 0, limit: 10).map(\.outgoing.event)
        #expect(events.map(\.tap) == [two.id, two.id, paid.id])
        #expect(events.map(\.payment?.scheme) == ["visa", "visa", "mastercard"])
        #expect(events[0].partitionKey != events[1].partitionKey)
        #expect(try await outbox.taps(after: 1, limit: 1).map(\.record.id) == [paid.id])
        #expect(try await outbox.latestTaps(limit: 1, before: 2).map(\.record.id) == [two.id])
    }

    @Test("the same tap twice is refused, and leaves no hole")
    func duplicate() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        _ = try await outbox.commit(Taps.read(1))
        let error = await #expect(throws: OutboxError.self) { try await outbox.commit(Taps.read(1)) }
        #expect(error?.code == .duplicate)
        #expect(try await outbox.commit(Taps.read(2)).events.map(\.sequence) == [2])
        #expect(try await outbox.check().isEmpty)
    }

    @Test("many at once: numbers without a hole, and one that fails does not take the others with it")
    func group() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        _ = try await outbox.commit(Taps.read(500))
        let failures = await withTaskGroup { group in
            for number in 1...999 {
                group.addTask { (try? await outbox.commit(Taps.read(number % 600))) == nil ? 1 : 0 }
            }
            return await group.reduce(0, +)
        }
        // 400 to 599 come once, except 500, which was there; the others twice, 0 once.
        #expect(failures == 400)
        #expect(try await outbox.statistics().lastSequence == 600)
        #expect(try await outbox.check().isEmpty)
    }

    @Test("numbers go on after everything was purged, and after a parked pass was dropped")
    func numbers() async throws {
        let bench = try FeedBench()
        var outbox: Outbox? = try bench.open()
        for number in 1...5 { _ = try await outbox?.commit(Taps.read(number)) }
        _ = try await outbox?.commit(Taps.parked(6))
        bench.advance(.seconds(31 * 86_400))
        #expect(try await outbox?.dropParked() == 1)
        #expect(try await outbox?.purge() == 6)
        #expect(try await outbox?.check().isEmpty == true)
        outbox = nil
        let next = try await bench.open().commit(Taps.read(7))
        #expect(next.events == [EventSummary(id: Taps.id(7), sequence: 7, position: 6, kind: .loyalty)])
        #expect(next.cursor == 7)
    }

    @Test("purge: only old taps that every sink in use has or gave up")
    func purge() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        for number in 1...4 { _ = try await outbox.commit(Taps.read(number)) }
        try await outbox.register(sinks: ["a", "b"])
        #expect(try await outbox.purge() == 0)
        bench.clock.advance(by: 8 * 86_400)
        #expect(try await outbox.purge() == 0)
        func deliver(_ sink: String, to cursor: Int64, aside: [LaneUpdate.Aside] = []) async throws {
            var update = LaneUpdate(aside: aside)
            update.cursor = cursor
            try await outbox.apply(update, sink: sink, ids: [:], began: 0, milliseconds: 0)
        }
        try await deliver("a", to: 4)
        try await deliver(
            "b", to: 3,
            aside: [
                .init(position: 1, tries: 1, isDead: true, due: 0, delay: 0),
                .init(position: 2, tries: 1, isDead: false, due: 0, delay: 0),
            ])
        #expect(try await outbox.purge() == 2)
        #expect(try await outbox.taps(after: nil, limit: 10).map(\.cursor) == [2, 4])
        // One that said that it wants no more is enabled again some day, or taken out.
        var disabled = LaneUpdate()
        (disabled.cursor, disabled.isDisabled) = (3, true)
        try await outbox.apply(disabled, sink: "b", ids: [:], began: 0, milliseconds: 0)
        #expect(try await outbox.purge() == 0)
        #expect(try await outbox.statistics().depth == 2)
        #expect(try await outbox.register(sinks: ["a"]) == ["b": 2])
        #expect(try await outbox.register(sinks: ["a"]).isEmpty)
        #expect(try await outbox.purge() == 2)
    }

    @Test("a new sink begins with the oldest event that is kept")
    func newSink() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        try await outbox.register(sinks: ["early"])
        for number in 1...3 { _ = try await outbox.commit(Taps.read(number)) }
        try await outbox.register(sinks: ["late"])
        #expect(try await outbox.statistics().sinks.map(\.cursor) == [0])
        try await outbox.register(sinks: ["early", "late"])
        #expect(try await outbox.statistics().sinks.map(\.depth) == [3, 3])
    }

    @Test("basket: attached within the window, too late after it, none without a window")
    func basket() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open(window: .seconds(30))
        _ = try await outbox.commit(Taps.read(1))
        _ = try await outbox.commit(Taps.read(2))
        #expect(try await outbox.events(after: 0, limit: 9).isEmpty)
        #expect(try await outbox.statistics().depth == 2)
        #expect(try await outbox.attachBasket("[1]", to: Taps.id(2)) == .invalid)
        #expect(try await outbox.attachBasket("{}", to: Taps.id(9)) == .unknownTap)
        #expect(try await outbox.attachBasket(#"{ "order" : "A-1" }"#, to: Taps.id(2)) == .attached)
        #expect(try await outbox.attachBasket("{}", to: Taps.id(2)) == .tooLate)
        let first = try #require(try await outbox.events(after: 0, limit: 9).first)
        #expect(first.position == 1)
        #expect(first.outgoing.event.sequence == 2)
        #expect(first.outgoing.event.basket == #"{"order":"A-1"}"#)
        #expect(try await outbox.releaseDue() == .seconds(30))
        bench.advance(.seconds(31))
        #expect(try await outbox.releaseDue() == nil)
        #expect(try await outbox.events(after: 1, limit: 9).map(\.outgoing.event.sequence) == [1])
        #expect(try await outbox.attachBasket("{}", to: Taps.id(1)) == .tooLate)
        #expect(try await outbox.check().isEmpty)
        #expect(outbox.windows.withLock { $0.isEmpty })
    }

    @Test(
        "a window ends for a counter that was started again, whatever the clock did", arguments: [0, 86_400, -86_400])
    func windowAfterRestart(jump: Double) async throws {
        let bench = try FeedBench()
        _ = try await bench.open(window: .seconds(30)).commit(Taps.read(1))
        bench.clock.advance(by: jump)
        let outbox = try bench.open(window: .seconds(30))
        let end = try await outbox.releaseDue()
        #expect(jump > 0 ? end == nil : end == .seconds(30))
        bench.time.advance(by: .seconds(31))
        _ = try await outbox.releaseDue()
        #expect(try await outbox.events(after: 0, limit: 9).count == 1)
        let off = try FeedBench()
        let without = try off.open()
        _ = try await without.commit(Taps.read(1))
        #expect(try await without.attachBasket("{}", to: Taps.id(1)) == .noWindow)
    }

    @Test("parked: kept as it is, released in its turn when the key arrives")
    func parked() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let parked = try await outbox.commit(Taps.parked(1))
        #expect(parked.events.map(\.position) == [nil])
        _ = try await outbox.commit(Taps.read(2))
        #expect(try await outbox.statistics().parked == 1)
        let waiting = try await outbox.parked()
        #expect(waiting.map(\.cryptogram) == [[UInt8](repeating: 7, count: 60)])
        #expect(waiting.map(\.keyID) == ["0badcafe"])
        #expect(try await outbox.releaseParked { _ in nil } == 0)
        let released = try await outbox.releaseParked { _ in
            ReleasedPayload(member: "M-9", deviceTime: Taps.began)
        }
        #expect(released == 1)
        let events = try await outbox.events(after: 0, limit: 9).map(\.outgoing.event)
        #expect(events.map(\.sequence) == [2, 1])
        #expect(events[1].member == "M-9")
        #expect(events[1].time == Taps.read(1).began)
        #expect(try await outbox.parked().isEmpty)
        #expect(try await outbox.check().isEmpty)
    }

    @Test("the partition key is the member's at every counter that shares the secret, and at no other")
    func partition() async throws {
        func key(_ secret: [UInt8]?, _ seed: UInt64) async throws -> String? {
            let bench = try FeedBench()
            var options = bench.options()
            options.partitionSecret = secret.map { .init(copying: $0) }
            options.random = SeededRandom.source(seed: seed)
            let outbox = try Outbox(directory: bench.state, counter: CounterIdentity(id: "c"), options: options)
            _ = try await outbox.commit(Taps.read(1))
            return try await outbox.events(after: 0, limit: 1).first?.outgoing.event.partitionKey
        }
        #expect(try await key([1, 2, 3], 1) == key([1, 2, 3], 2))
        #expect(try await key(nil, 1) != key(nil, 2))
    }

    @Test("backup while it is written to: whole, private, an outbox itself")
    func backup() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        for number in 1...50 { _ = try await outbox.commit(Taps.read(number)) }
        let copy = bench.folder.path("copy/outbox.sqlite")
        try FileManager.default.createDirectory(atPath: bench.folder.path("copy"), withIntermediateDirectories: true)
        async let more: Void = { for number in 51...100 { _ = try await outbox.commit(Taps.read(number)) } }()
        try await outbox.backup(to: copy)
        try await more
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
        let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path("copy"))
        #expect(files == ["outbox.sqlite"])
        let restored = try Outbox(directory: bench.folder.path("copy"), counter: CounterIdentity(id: "c1"))
        #expect(try await restored.statistics().taps >= 50)
        #expect(try await restored.check().isEmpty)
        let error = await #expect(throws: OutboxError.self) { try await outbox.backup(to: copy) }
        #expect(error?.code == .exists)
    }

    @Test("changes are told to everybody who listens")
    func changes() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        var (one, two) = (outbox.changes.makeAsyncIterator(), outbox.changes.makeAsyncIterator())
        _ = try await outbox.commit(Taps.read(1))
        #expect(await one.next() == .tap(Taps.id(1)))
        #expect(await one.next() == .event(1))
        #expect(await two.next() == .tap(Taps.id(1)))
    }
}
