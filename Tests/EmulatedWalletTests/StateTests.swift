// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import ISO7816
import Testing

@testable import EmulatedWallet

/// What the phone remembers, and when it forgets.
@Suite("State of the phone")
struct StateTests {
    @Test("the nonce is new at each SELECT, capabilities tell whether payment is armed")
    func selection() throws {
        let phone = EmulatedPhone(PhoneDefinition([]))
        func objects() throws -> [TLV] { try TLV.read(Array(phone.tap().data))[0].contents() }
        let (first, second) = (try objects(), try objects())
        #expect(first.map(\.tag) == [0x50, 0x9F21, 0x9F24, 0x9F23])
        #expect(first.first(0x9F24) != second.first(0x9F24))
        #expect(first.first(0x9F23)?.bytes == [0, 0, 0, 0x1E])
        phone.authenticatePayment()
        #expect(try objects().first(0x9F23)?.bytes == [0, 0, 0, 0x3E])
        phone.disarmPayment()
        #expect(try objects().first(0x9F23)?.bytes == [0, 0, 0, 0x1E])
        let odd = EmulatedPhone(PhoneDefinition([]) { $0.mobileCapabilities = [1, 2, 3, 4] })
        #expect(try TLV.read(Array(odd.tap().data))[0].contents().first(0x9F23)?.bytes == [1, 2, 3, 4])
    }

    @Test("a new tap counts as a new authentication, unless the file says no")
    func tapAuthenticates() throws {
        let club = try Club()
        let phone = try EmulatedPhone.selected(PhoneDefinition([club]))
        #expect(try phone.status(club) == 0x9000)
        #expect(phone.alreadyRead.map(\.passTypeIdentifier) == [club.identifier])
        #expect(try phone.send(selectVAS).status == 0x9000)
        #expect(try phone.status(club) == 0x6287, "the same tap")
        try phone.tap()
        #expect(try phone.status(club) == 0x9000)

        let strict = try EmulatedPhone.selected(PhoneDefinition([club]) { $0.tapAuthenticates = false })
        #expect(try strict.status(club) == 0x9000)
        try strict.tap()
        #expect(try strict.status(club) == 0x6287)
        strict.unlock()
        #expect(try strict.status(club) == 0x9000)
    }

    @Test("the list in the file lasts for the first tap")
    func alreadyReadInFile() throws {
        let club = try Club()
        let phone = try EmulatedPhone.selected(PhoneDefinition([club]) { $0.alreadyRead = [club.identifier] })
        #expect(try phone.status(club) == 0x6287)
        try phone.tap()
        #expect(try phone.status(club) == 0x9000)
    }

    @Test("a locked phone stays locked over taps, and unlocks at the tap named")
    func unlocksAtTap() throws {
        let club = try Club()
        let definition = PhoneDefinition([club]) { ($0.locked, $0.unlocksAtTap) = (true, 3) }
        let phone = EmulatedPhone(definition)
        for expected: StatusWord in [0x6287, 0x6287, 0x9000, 0x9000] {
            phone.fieldOn()
            phone.fieldOn()
            #expect(try phone.send(selectVAS).status == 0x9000)
            #expect(try phone.status(club) == expected)
            phone.fieldOff()
        }
        #expect(phone.tapCount == 4, "a field without a command is no tap")
        phone.lock()
        try phone.tap()
        #expect(phone.isLocked)
        #expect(try phone.status(club) == 0x6287)
    }

    @Test("one pass per tap, when asked for, until a payment card is authenticated")
    func onePassPerTap() throws {
        let clubs = try (1...3).map { try Club("pass.com.example.\($0)") }
        let definition = PhoneDefinition(clubs) { $0.onePassPerTap = true }
        let phone = try EmulatedPhone.selected(definition)
        #expect(try clubs.map { try phone.status($0) } == [0x9000, 0x6A83, 0x6A83])
        #expect(try phone.status(clubs[0]) == 0x6287)
        phone.authenticatePayment()
        try phone.tap()
        #expect(try clubs.map { try phone.status($0) } == [0x9000, 0x9000, 0x9000])
        let generous = try EmulatedPhone.selected(PhoneDefinition(clubs))
        #expect(try clubs.map { try generous.status($0) } == [0x9000, 0x9000, 0x9000])
    }

    @Test("URLs arrive with P2 = 00, and in a full command whose pass is missing")
    func inbox() throws {
        let club = try Club()
        let phone = try EmulatedPhone.selected(PhoneDefinition([club]) { $0.receivedURLs = ["https://example.com/0"] })
        #expect(try phone.send(VASRequest.urlOnly("https://example.com/1").bytes).bytes == [0x90, 0x00])
        #expect(try phone.status(VASRequest(club) { $0.url = "https://example.com/2" }) == 0x9000)
        let missing = try Club("pass.com.example.missing")
        #expect(try phone.status(VASRequest(missing) { $0.url = "https://example.com/3" }) == 0x6A83)
        #expect(phone.receivedURLs == ["https://example.com/0", "https://example.com/1", "https://example.com/3"])
        for index in 0..<300 { _ = try phone.status(.urlOnly("https://example.com/\(index)")) }
        #expect(phone.receivedURLs.count == 100)
        #expect(phone.receivedURLs.last == "https://example.com/299")
    }

    @Test("capabilities of the terminal and the nonce have no effect")
    func ignored() throws {
        let club = try Club()
        let phone = EmulatedPhone(PhoneDefinition([club]))
        for capabilities: [UInt8] in [[0, 0, 0, 2], [0, 0x80, 0, 2], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0x80, 0, 0x83]] {
            try phone.tap()
            #expect(try phone.status(VASRequest(club) { $0.capabilities = capabilities }) == 0x9000)
        }
        try phone.tap()
        #expect(try phone.status(VASRequest(club) { $0.nonce = nil }) == 0x9000)
    }

    @Test("leaves the field at a command, in each tap or in the first ones")
    func leavesField() throws {
        let club = try Club()
        let always = EmulatedPhone(PhoneDefinition([club]) { $0.leavesFieldAt = 2 })
        for _ in 0..<3 {
            try always.tap()
            #expect(always.respond(to: club.getVASData) == .leftField)
            #expect(always.respond(to: selectVAS) == .leftField, "gone until the field comes back")
            #expect(!always.isInField)
        }
        let once = EmulatedPhone(PhoneDefinition([club]) { ($0.leavesFieldAt, $0.leavesFieldTaps) = (1, 1) })
        #expect(throws: CardChannelError.self) { try once.tap() }
        try once.tap()
        #expect(try once.status(club) == 0x9000)
    }

    @Test("answers late, or never")
    func delays() throws {
        let club = try Club()
        let slow = EmulatedPhone(PhoneDefinition([club]) { ($0.answerDelay, $0.silentAt) = (250, 2) })
        slow.fieldOn()
        guard case .response(_, let delay) = slow.respond(to: selectVAS) else { throw Refusal.notFound }
        #expect(delay == .milliseconds(250))
        #expect(slow.respond(to: club.getVASData) == .silence)
    }

    @Test("the same seed and clock give the same tap")
    func repeats() throws {
        let club = try Club()
        let clock = FixedClock()
        let taps = try (0..<2).map { _ in
            let phone = EmulatedPhone(PhoneDefinition([club]), clock: clock.read, random: SeededRandom.source(seed: 7))
            return try [phone.tap(), phone.send(club.getVASData)]
        }
        #expect(taps[0] == taps[1])
    }
}
