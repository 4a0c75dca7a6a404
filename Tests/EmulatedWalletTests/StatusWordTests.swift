// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EmulatedWallet

/// Every status word of GET VAS DATA, by state and by a wrong command.
@Suite("Status words")
struct StatusWordTests {
    @Test("9000: the pass, sealed to its key, with or without Le")
    func success() throws {
        let club = try Club()
        let phone = try EmulatedPhone.selected(PhoneDefinition([club]))
        let response = try phone.send(VASRequest(club) { $0.le = [] }.bytes)
        #expect(try passMessage(response, club) == "M-0042")
        try phone.tap()
        #expect(try passMessage(phone.send(club.getVASData), club) == "M-0042")
    }

    private func passMessage(_ response: ResponseAPDU, _ club: Club) throws -> String {
        String(decoding: try club.open(response.cryptogram()).message, as: UTF8.self)
    }

    @Test("6A83: no such pass, another pass on screen, a pass without NFC, a filter that finds nothing")
    func notFound() throws {
        let (club, shop) = (try Club(), try Club("pass.com.example.shop"))
        let phone = try EmulatedPhone.selected(PhoneDefinition([club]))
        #expect(try phone.status(shop) == 0x6A83)
        #expect(try phone.status(VASRequest(club) { $0.filter = [2, 0, 0, 0, 0] }) == 0x6A83)

        let two = PhoneDefinition([club, shop]) { $0.chosenPass = shop.identifier }
        let choosy = try EmulatedPhone.selected(two)
        #expect(try choosy.status(club) == 0x6A83)
        #expect(try choosy.status(shop) == 0x9000)
        choosy.choose(nil)
        #expect(try choosy.status(club) == 0x9000)

        let bare = PhoneDefinition(passes: [.init(passTypeIdentifier: club.identifier, nfc: nil)])
        #expect(try EmulatedPhone.selected(bare).status(club) == 0x6A83)
    }

    @Test("6287: locked, already read, not authenticated for a pass that demands it")
    func notActivated() throws {
        let club = try Club()
        let locked = try EmulatedPhone.selected(PhoneDefinition([club]) { $0.locked = true })
        #expect(try locked.status(club) == 0x6287)
        #expect(try locked.status(Club("pass.com.example.other")) == 0x6A83, "lookup comes before the lock")
        locked.unlock()
        #expect(try locked.status(club) == 0x9000)
        #expect(try locked.status(club) == 0x6287, "handed out once per authentication")

        let read = PhoneDefinition([club]) { $0.alreadyRead = [club.identifier] }
        #expect(try EmulatedPhone.selected(read).status(club) == 0x6287)

        var demanding = PhoneDefinition(passes: [club.pass(requiresAuthentication: true)])
        #expect(try EmulatedPhone.selected(demanding).status(club) == 0x9000)
        demanding.authenticated = false
        let waiting = try EmulatedPhone.selected(demanding)
        #expect(try waiting.status(club) == 0x6287)
        waiting.authenticatePayment()
        #expect(try waiting.status(club) == 0x9000)
    }

    @Test("6B00: any other P1 or P2", arguments: [(0, 1), (2, 1), (1, 2), (1, 0xFF)] as [(UInt8, UInt8)])
    func wrongParameters(p1: UInt8, p2: UInt8) throws {
        let club = try Club()
        let phone = try EmulatedPhone.selected(PhoneDefinition([club]))
        #expect(try phone.status(VASRequest(club) { ($0.p1, $0.p2) = (p1, p2) }) == 0x6B00)
    }

    @Test("6700: Lc that is not the data's, lengths of tags, data that is no TLV")
    func wrongLength() throws {
        let club = try Club()
        let phone = try EmulatedPhone.selected(PhoneDefinition([club]))
        var bytes = club.getVASData
        bytes[4] += 2
        #expect(try phone.send(bytes).status == 0x6700)
        let changes: [(inout VASRequest) -> Void] = [
            { $0.version = [1] }, { $0.merchantID = [1, 2, 3] }, { $0.capabilities = [0, 0x80, 0] },
            { $0.nonce = [1, 2, 3, 4, 5] }, { $0.filter = [1, 0, 0, 0, 0, 0] }, { $0.filter = [] },
            { $0.extra = [0x9F, 0x2C, 0x05, 0x01] },
        ]
        for change in changes { #expect(try phone.status(VASRequest(club, change: change)) == 0x6700) }
        #expect(try phone.send([0x80, 0xCA, 0x01, 0x01, 0x01]).status == 0x6A80, "no data at all: nothing mandatory")
        #expect(try phone.send([0x80, 0xCA, 0x01]).status == 0x6700)
        #expect(try phone.status(club) == 0x9000, "and none of it hurt the phone")
    }

    @Test("6984: several candidates, until the owner chooses one")
    func userIntervention() throws {
        let club = try Club()
        let passes = [club.pass("one", serialNumber: "1"), club.pass("two", serialNumber: "2")]
        let phone = try EmulatedPhone.selected(PhoneDefinition(passes: passes))
        #expect(try phone.status(club) == 0x6984)
        phone.choose("2")
        #expect(try club.open(phone.send(club.getVASData).cryptogram()).message == Array("two".utf8))
        phone.choose(nil)
        #expect(try club.open(phone.send(club.getVASData).cryptogram()).message == Array("one".utf8))
        #expect(try phone.status(club) == 0x6287)
    }

    @Test("6A80: filter of an unknown kind, mandatory objects missing")
    func incorrectData() throws {
        let club = try Club()
        let phone = try EmulatedPhone.selected(PhoneDefinition([club]))
        let changes: [(inout VASRequest) -> Void] = [
            { $0.filter = [0, 0, 0, 0, 0] }, { $0.filter = [3, 0, 0, 0, 0] }, { $0.merchantID = nil },
            { $0.version = nil }, { $0.capabilities = nil },
        ]
        for change in changes { #expect(try phone.status(VASRequest(club, change: change)) == 0x6A80) }
        #expect(try phone.status(.urlOnly(nil)) == 0x6A80)
        #expect(try phone.status(.urlOnly("https://exämple.com")) == 0x6A80)
    }

    @Test("6340: another application version, which the phone may have too")
    func unsupportedVersion() throws {
        let club = try Club()
        let phone = try EmulatedPhone.selected(PhoneDefinition([club]))
        #expect(try phone.status(VASRequest(club) { $0.version = [2, 0] }) == 0x6340)
        let newer = EmulatedPhone(PhoneDefinition([club]) { $0.applicationVersion = [2, 0] })
        let selection = try newer.tap()
        #expect(try TLV.read(Array(selection.data))[0].contents().first(0x9F21)?.bytes == [2, 0])
        #expect(try newer.status(VASRequest(club)) == 0x6340)
        #expect(try newer.status(VASRequest(club) { $0.version = [2, 0] }) == 0x9000)
    }

    @Test("forced status words, per command and per merchant")
    func forced() throws {
        let (club, shop) = (try Club(), try Club("pass.com.example.shop"))
        let words: [StatusWord] = [0x9000, 0x6A83, 0x6287, 0x6B00, 0x6700, 0x6984, 0x6A80, 0x6340, 0x6982, 0x6100]
        for word in words {
            var definition = PhoneDefinition([club, shop])
            definition.statusWords.passes = [club.identifier: word]
            let phone = try EmulatedPhone.selected(definition)
            #expect(try phone.send(club.getVASData).bytes == word.bytes)
            #expect(try phone.status(shop) == 0x9000)
            definition.statusWords.getVASData = word
            definition.statusWords.urlOnly = 0x6A80
            let other = try EmulatedPhone.selected(definition)
            #expect(try other.status(shop) == word)
            #expect(try other.status(.urlOnly("https://example.com")) == 0x6A80)
            definition.statusWords.select = word
            #expect(try EmulatedPhone(definition).tap().bytes == word.bytes)
        }
    }

    @Test("other commands: 6E00, 6D00, 6A82, 6A86, 6985, 6700")
    func otherCommands() throws {
        let club = try Club()
        let phone = EmulatedPhone(PhoneDefinition([club]))
        phone.fieldOn()
        #expect(try phone.status(club) == 0x6985, "before SELECT")
        let commands: [(String, StatusWord)] = [
            ("FFCA000000", 0x6E00), ("90530000", 0x6E00), ("00B0000000", 0x6D00), ("80A8000002830000", 0x6D00),
            ("00A404000E325041592E5359532E444446303100", 0x6A82), ("00A4040007A000000003101000", 0x6A82),
            ("00A4000C023F00", 0x6A86), ("00A404020A4F53452E5641532E303100", 0x6A82), ("00A40400", 0x6A82),
            ("00A404000B4F53452E5641532E3031", 0x6700), ("00C0000000", 0x6985), ("00C0010000", 0x6B00), ("", 0x6700),
            ("00", 0x6700),
        ]
        for (command, status) in commands {
            #expect(try phone.send(Hex.decode(command)).status == status, "\(command)")
        }
        #expect(try phone.send(selectVAS).status == 0x9000)
        #expect(try phone.send(Hex.decode("00A4040007A000000003101000")).status == 0x6A82)
        #expect(try phone.status(club) == 0x9000, "a selection that fails leaves the one before")
    }
}
