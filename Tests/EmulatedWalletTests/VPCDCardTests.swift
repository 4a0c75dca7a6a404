// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Synchronization
import Testing

@testable import EmulatedWallet

/// The card's end of vpcd's wire, against a listener of the test's own.
@Suite("Card in vpcd", .timeLimit(.minutes(10)))
struct VPCDCardTests {
    /// Events as they come.
    final class Log: Sendable {
        private let events = Mutex<[VPCDCard.Event]>([])
        var all: [VPCDCard.Event] { events.withLock { $0 } }
        func add(_ event: VPCDCard.Event) { events.withLock { $0.append(event) } }
    }

    private func start(
        _ server: FakeVPCD, _ definition: PhoneDefinition, _ log: Log = Log(), absence: Duration = .seconds(1)
    ) throws -> VPCDCard {
        let card = VPCDCard(
            EmulatedPhone(definition), at: server.address, absence: absence, report: { log.add($0) })
        try card.start()
        try server.accept()
        return card
    }

    @Test("power, answer to reset, a whole tap, power off")
    func tap() async throws {
        let (club, server, log) = (try Club(), try FakeVPCD(), Log())
        let card = try start(server, PhoneDefinition([club]), log)
        #expect(server.ask([4]) == EmulatedPhone.answerToReset)
        #expect(!card.isReady, "only looked for, not powered")
        #expect(server.powerOn() == EmulatedPhone.answerToReset)
        #expect(try await card.waitUntilReady(timeout: .seconds(5)))
        for _ in 0..<2 {
            #expect(server.ask(selectVAS)?.suffix(2) == [0x90, 0x00])
            let answer = try ResponseAPDU(#require(server.ask(club.getVASData)))
            #expect(try club.open(answer.cryptogram()).message == Array("M-0042".utf8))
            server.tell([2])
            #expect(server.ask(club.getVASData) == [0x69, 0x85], "reset: the selection is gone")
            server.tell([0])
            server.tell([1])
        }
        #expect(server.ask([0x00, 0xA4]) == [0x67, 0x00])
        server.tell([9])
        #expect(server.ask([4]) == EmulatedPhone.answerToReset, "an unknown control byte changes nothing")
        card.stop()
        #expect(log.all == [.ready, .stopped])
        #expect(server.receive() == nil)
    }

    @Test("a card that is looked at again and again without power is in the reader too")
    func missedRemoval() throws {
        let (server, log) = (try FakeVPCD(), Log())
        let card = try start(server, PhoneDefinition([]), log)
        for _ in 0..<3 { #expect(server.ask([4]) == EmulatedPhone.answerToReset) }
        #expect(server.ask(selectVAS)?.suffix(2) == [0x90, 0x00], "a command brings the field by itself")
        #expect(card.isReady)
        card.stop()
        #expect(log.all == [.ready, .stopped])
    }

    @Test("the answer to reset is PC/SC's for a contactless card, its check byte right")
    func answerToReset() {
        let bytes = EmulatedPhone.answerToReset
        #expect(bytes.dropFirst().reduce(0, ^) == 0)
        #expect(bytes.count == 4 + Int(bytes[1] & 0x0F) + 1)
    }

    @Test("leaves the field in the middle, and comes back")
    func leavesField() throws {
        let (club, server, log) = (try Club(), try FakeVPCD(), Log())
        let definition = PhoneDefinition([club]) { ($0.leavesFieldAt, $0.leavesFieldTaps) = (2, 1) }
        let card = try start(server, definition, log, absence: .seconds(2))
        _ = server.powerOn()
        #expect(server.ask(selectVAS) != nil)
        let time = ContinuousClock().measure { #expect(server.ask(club.getVASData) == nil) }
        #expect(time < .seconds(2), "the connection closes when the phone leaves, not when it comes back")
        try server.accept()
        #expect(server.powerOn() != nil)
        #expect(server.ask(selectVAS) != nil)
        #expect(server.ask(club.getVASData)?.suffix(2) == [0x90, 0x00])
        card.stop()
        #expect(log.all == [.ready, .leftField, .ready, .stopped])
    }

    @Test("a daemon that restarts finds the card again")
    func restart() async throws {
        let (server, log) = (try FakeVPCD(), Log())
        let card = try start(server, PhoneDefinition([]), log)
        #expect(server.powerOn() != nil)
        let port = server.port
        server.stop()
        while log.all.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(!card.isReady)
        try await Task.sleep(for: .milliseconds(100))
        let again = try FakeVPCD(port: port)
        try again.accept()
        #expect(again.powerOn() != nil)
        #expect(try await card.waitUntilReady(timeout: .seconds(5)))
        card.stop()
        #expect(log.all == [.ready, .disconnected, .ready, .stopped])
    }

    @Test("nobody listening, no such host, started twice")
    func errors() throws {
        let server = try FakeVPCD()
        let address = server.address
        server.stop()
        let card = VPCDCard(EmulatedPhone(PhoneDefinition([])), at: address)
        let refused = try #require(throws: WalletError.self) { try card.start() }
        #expect(refused.code == .unreachable)
        #expect(refused.reason == "\(address): Connection refused")
        #expect(refused.hint?.contains("pcscd") == true)
        let unknown = VPCDCard(
            EmulatedPhone(PhoneDefinition([])), at: VPCDAddress(host: "no-such-host.invalid", port: 1))
        #expect(throws: WalletError.self) { try unknown.start() }

        let again = try FakeVPCD(port: address.port)
        try card.start()
        try again.accept()
        #expect(try #require(throws: WalletError.self) { try card.start() }.code == .notStartable)
        card.stop()
        card.stop()
        #expect(throws: WalletError.self) { try card.start() }
    }

    @Test("a host that does not answer is waited for no longer than until stop", .timeLimit(.minutes(10)))
    func unanswered() async throws {
        let server = try FakeVPCD()
        func card() -> VPCDCard { VPCDCard(EmulatedPhone(PhoneDefinition([])), at: server.address) }
        // As many as the listener lets wait; Linux leaves whoever comes next without an answer.
        let waiting = [card(), card()]
        for card in waiting { try card.start() }
        let late = card()
        let attempt = Task.detached { #expect(throws: WalletError.self) { try late.start() }?.code }
        try await Task.sleep(for: .milliseconds(200))
        let time = await ContinuousClock().measure {
            late.stop()
            #expect(await attempt.value == .unreachable)
        }
        #expect(time < .seconds(5))
        #expect(throws: WalletError.self) { try late.start() }
        for card in waiting { card.stop() }
    }

    @Test("answers that vpcd cannot carry are replaced; delays and silence end with stop")
    func limits() async throws {
        let (club, server, log) = (try Club(), try FakeVPCD(), Log())
        var definition = PhoneDefinition([club])
        definition.answer.unknownTags = [UInt8](repeating: 0x50, count: 66_000)
        let card = try start(server, definition, log)
        _ = server.powerOn()
        _ = server.ask(selectVAS)
        let request = try CommandAPDU(club.getVASData)
        let extended = try CommandAPDU(
            cla: 0x80, ins: 0xCA, p1: 1, p2: 1, data: request.data, ne: 65_536, extended: true)
        let answer = try #require(server.ask(extended.bytes))
        #expect(answer.count <= VPCDCard.maximumAnswer)
        card.stop()

        for change in [{ $0.silentAt = 1 }, { $0.answerDelay = 60_000 }] as [(inout PhoneDefinition) -> Void] {
            let server = try FakeVPCD()
            let card = try start(server, PhoneDefinition([club], change))
            _ = server.powerOn()
            server.tell(selectVAS)
            try await Task.sleep(for: .milliseconds(30))
            let time = ContinuousClock().measure { card.stop() }
            #expect(time < .seconds(30))
            #expect(server.receive() == nil)
        }
    }

    @Test("broken frames end the connection, not the card")
    func brokenFrames() throws {
        let server = try FakeVPCD()
        let card = try start(server, PhoneDefinition([]))
        server.tell([])
        #expect(server.receive() == [0x67, 0x00], "an empty frame is an empty command")
        for length in [2, 3, 300, 65_000] {
            #expect(server.ask([UInt8](repeating: 0xFF, count: length))?.count == 2)
        }
        server.drop()
        try server.accept()
        #expect(server.powerOn() != nil)
        card.stop()
    }

    @Test("addresses")
    func addresses() throws {
        let good = [
            ("localhost:35963", "localhost", 35_963), ("reader", "reader", 35_963), (":7", "localhost", 7),
            ("[::1]:9", "::1", 9), ("[::1]", "::1", 35_963), ("10.0.0.1:65535", "10.0.0.1", 65_535),
        ]
        for (text, host, port) in good {
            let address = try VPCDAddress(parsing: text)
            #expect(address.host == host && Int(address.port) == port)
            #expect(try VPCDAddress(parsing: address.description) == address)
        }
        for text in ["", "a:b", "a:0", "a:70000", "::1", "[::1]x", "a:"] {
            #expect(throws: WalletError.self) { try VPCDAddress(parsing: text) }
        }
    }
}
