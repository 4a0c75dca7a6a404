// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EmulatedWallet

/// Odd but legal answers.
@Suite("Shapes of answers")
struct AnswerShapeTests {
    private func phone(_ club: Club, _ change: (inout PhoneDefinition) -> Void) throws -> EmulatedPhone {
        try EmulatedPhone.selected(PhoneDefinition([club], change))
    }

    @Test("template: token, order, unknown tags, long form")
    func template() throws {
        let club = try Club()
        let plain = try phone(club) { _ in }.send(club.getVASData)
        #expect(Array(plain.data.prefix(7)) == [0x70, 0x44, 0x9F, 0x2A, 0x00, 0x9F, 0x27])

        let odd = try phone(club) {
            $0.answer.mobileToken = [1, 2, 3]
            $0.answer.cryptogramFirst = true
            $0.answer.unknownTags = [0x9F, 0x30, 0x01, 0xAA]
            $0.answer.longFormLength = true
        }.send(club.getVASData)
        #expect(Array(odd.data.prefix(2)) == [0x70, 0x81])
        #expect(try odd.passObjects().map(\.tag) == [0x9F27, 0x9F2A, 0x9F30])
        #expect(try odd.passObjects().first(0x9F2A)?.bytes == [1, 2, 3])
        #expect(try club.open(odd.cryptogram()).message == Array("M-0042".utf8))

        let bare = try phone(club) { $0.answer.omitsMobileToken = true }.send(club.getVASData)
        #expect(try bare.passObjects().map(\.tag) == [0x9F27])
    }

    @Test("URL only: no body, an empty template, an empty token", arguments: ["", "7000", "70039F2A00"])
    func urlOnly(body: String) throws {
        let club = try Club()
        let phone = try phone(club) { $0.answer.urlOnlyBody = (try? Hex.decode(body)) ?? [] }
        #expect(try phone.send(VASRequest.urlOnly("https://example.com").bytes).bytes == Hex.decode(body + "9000"))
    }

    @Test("message: 64 bytes at most, cut between code points, UTF-8")
    func message() throws {
        let club = try Club()
        let cases: [(String, Int)] = [
            ("", 0), (String(repeating: "x", count: 64), 64), (String(repeating: "x", count: 65), 64),
            (String(repeating: "é", count: 40), 64), ("x" + String(repeating: "é", count: 40), 63),
            (String(repeating: "x", count: 62) + "😀", 62),
        ]
        for (message, count) in cases {
            let phone = try EmulatedPhone.selected(PhoneDefinition(passes: [club.pass(message)]))
            let opened = try club.open(phone.send(club.getVASData).cryptogram()).message
            #expect(opened.count == count)
            #expect(message.utf8.starts(with: opened))
            #expect(String(validating: opened, as: UTF8.self) != nil)
        }
        let full = PhoneDefinition(passes: [club.pass(String(repeating: "x", count: 64))])
        let longest = try EmulatedPhone.selected(full)
        #expect(Array(try longest.send(club.getVASData).data.prefix(2)) == [0x70, 0x7E])
    }

    @Test("61xx: chunks by GET RESPONSE", arguments: [1, 7, 40, 200])
    func chaining(size: Int) throws {
        let club = try Club()
        let phone = EmulatedPhone(PhoneDefinition([club]) { $0.answer.chunkSize = size })
        phone.fieldOn()
        for command in [selectVAS, club.getVASData] {
            var response = try phone.send(command)
            var data = Array(response.data)
            while response.status.sw1 == 0x61 {
                #expect(response.data.count == size)
                response = try phone.send([0x00, 0xC0, 0x00, 0x00, response.status.sw2])
                data += response.data
            }
            #expect(response.status == 0x9000)
            #expect(try TLV.read(data).count == 1)
        }
        #expect(try phone.send([0x00, 0xC0, 0x00, 0x00, 0x00]).status == 0x6985, "nothing left")
    }

    @Test("another command forgets what was left to fetch")
    func chainingBroken() throws {
        let club = try Club()
        let phone = EmulatedPhone(PhoneDefinition([club]) { $0.answer.chunkSize = 4 })
        phone.fieldOn()
        #expect(try phone.send(selectVAS).status.sw1 == 0x61)
        #expect(try phone.send(Hex.decode("00B0000000")).status == 0x6D00)
        #expect(try phone.send([0x00, 0xC0, 0x00, 0x00, 0x00]).status == 0x6985)
    }

    @Test("6Cxx: the exact Le wanted, or one that is too small")
    func exactLe() throws {
        let club = try Club()
        let phone = EmulatedPhone(PhoneDefinition([club]) { $0.answer.wantsExactLe = true })
        phone.fieldOn()
        for command in [selectVAS, club.getVASData] {
            let refused = try phone.send(command)
            #expect(refused.status.sw1 == 0x6C)
            let response = try phone.send(Array(command.dropLast()) + [refused.status.sw2])
            #expect(response.status == 0x9000)
            #expect(response.data.count == Int(refused.status.sw2))
        }
        let normal = try EmulatedPhone.selected(PhoneDefinition([club]))
        let refused = try normal.send(VASRequest(club) { $0.le = [0x10] }.bytes)
        #expect(refused.bytes == [0x6C, 0x46])
        #expect(try normal.send(VASRequest(club) { $0.le = [0x46] }.bytes).data.count == 0x46)
    }

    @Test("extended length, and an answer longer than a short one")
    func extended() throws {
        let club = try Club()
        let objects = TLVBuilder.build { $0.append(0x9F30, [UInt8](repeating: 0xAA, count: 1_000)) }
        let phone = try phone(club) { $0.answer.unknownTags = objects }
        let request = try CommandAPDU(VASRequest(club).bytes)
        let extended = try CommandAPDU(
            cla: 0x80, ins: 0xCA, p1: 1, p2: 1, data: request.data, ne: 65_536, extended: true)
        let whole = try phone.send(extended.bytes)
        #expect(whole.data.count > 1_000)
        try phone.tap()
        var part = try phone.send(request.bytes)
        var data = Array(part.data)
        while part.status.sw1 == 0x61 {
            part = try phone.send([0x00, 0xC0, 0x00, 0x00, part.status.sw2])
            data += part.data
        }
        #expect(data.count == whole.data.count)
    }
}
