// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Synchronization
import Testing

@testable import PCSC

private final class Seen: Sendable {
    private let events = Mutex<[PCSCEvent]>([])
    var all: [PCSCEvent] { events.withLock { $0 } }
    func add(_ event: PCSCEvent) { events.withLock { $0.append(event) } }
    func clear() { events.withLock { $0 = [] } }

    func wait(_ what: Comment, for wanted: (PCSCEvent) -> Bool) async throws {
        for _ in 0..<400 where !all.contains(where: wanted) { try await Task.sleep(for: .milliseconds(20)) }
        let found = all.contains(where: wanted)
        #expect(found, what)
    }
}

@Suite("The monitor", .serialized, .enabled(if: PrivatePCSCD.isAvailable, needsDaemon))
struct MonitorTests {
    @Test("Readers, cards and the service come and go", .timeLimit(.minutes(10)))
    func events() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let seen = Seen()
            let watching = Task {
                for await event in PCSCMonitor(options: .quick()).events { seen.add(event) }
            }
            let name = daemon.slotNames[0]
            try await seen.wait("the second slot") { $0 == .readerAdded(daemon.slotNames[1]) }
            #expect(seen.all.first == .serviceFound)
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            try await seen.wait("a card") { if case .cardInserted(name, _) = $0 { true } else { false } }
            card.remove()
            try await seen.wait("its removal") { $0 == .cardRemoved(reader: name) }
            daemon.kill()
            try await seen.wait("the service's end") { if case .serviceLost = $0 { true } else { false } }
            #expect(seen.all.contains(.readerRemoved(name)))
            seen.clear()
            try daemon.start()
            try await seen.wait("the service again") { $0 == .serviceFound }
            try await seen.wait("its reader") { $0 == .readerAdded(name) }
            watching.cancel()
            await watching.value
            try await settle { clientDescriptors(of: daemon.socketPath).count }
            #expect(clientDescriptors(of: daemon.socketPath).count <= 1)
        }
    }
}

@Suite("The monitor's view")
struct MonitorViewTests {
    private func state(_ bits: UInt, count: UInt) -> ReaderState { ReaderState(raw: bits | count << 16, atr: [0x3B]) }

    @Test("A card swapped between two looks is a removal and an insertion")
    func swap() {
        var view = MonitorView()
        #expect(view.list(["A"]) == [.serviceFound, .readerAdded("A")])
        #expect(view.list(["A"]) == [])
        let presence = CardPresence(atr: [0x3B], eventCount: 1)
        #expect(view.update("A", state(0x20, count: 1)) == [.cardInserted(reader: "A", presence)])
        #expect(view.update("A", state(0x120, count: 1)) == [])
        let other = CardPresence(atr: [0x3B], eventCount: 3)
        #expect(
            view.update("A", state(0x20, count: 3)) == [
                .cardRemoved(reader: "A"), .cardInserted(reader: "A", other),
            ])
        #expect(view.list([]) == [.cardRemoved(reader: "A"), .readerRemoved("A")])
    }

    @Test("A lost service is reported once")
    func lost() {
        var view = MonitorView()
        _ = view.list(["A"])
        let error = PCSCError(rawCode: PCSCError.noService)
        #expect(view.lose(error) == [.readerRemoved("A"), .serviceLost(error)])
        #expect(view.lose(error) == [])
        #expect(view.list([]) == [.serviceFound])
    }

    @Test("A mute card is no card, an unknown reader is gone")
    func mute() {
        var view = MonitorView()
        _ = view.list(["A"])
        #expect(view.update("A", state(0x220, count: 1)) == [])
        #expect(view.update("A", state(0x4, count: 1)) == [.readerRemoved("A")])
        #expect(view.update("B", state(0x20, count: 1)) == [])
    }
}
