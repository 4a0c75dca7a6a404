// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import ISO7816
import Testing

@testable import EmulatedWallet

/// What real cards are strict about.
@Suite("Payment commands")
struct CommandRuleTests {
    private static let ppse = "00A404000E325041592E5359532E444446303100"
    private static let selectVisa = "00A4040007A000000003101000"
    private static let gpo = "80A80000238321208040000000000012500000000000000276000000000009782608050052BF458500"
    private static let selectChip = "00A4040007A000000004101000"

    private func status(_ commands: String..., on definition: PhoneDefinition? = nil) throws -> String {
        let phone = EmulatedPhone(definition ?? CardCase(network: .visa, isPhone: false).definition())
        phone.fieldOn()
        var last = ""
        for command in commands { last = Hex.encode(try phone.send(Hex.decode(command)).status.bytes) }
        return last
    }

    @Test("lengths and order, as cards are strict about them")
    func rules() throws {
        let (ppse, select, gpo) = (Self.ppse, Self.selectVisa, Self.gpo)
        #expect(try status(ppse, select, gpo) == "9000")
        #expect(try status(String(ppse.dropLast(2))) == "6700", "SELECT without Le")
        #expect(try status(String(select.dropLast(2))) == "6700")
        #expect(try status(select, String(gpo.dropLast(2))) == "6700", "GPO without Le")
        #expect(try status(select, "80A8000002830000") == "6700", "values of another length")
        #expect(try status(select, "80A8000002840000") == "6A80", "no command template")
        #expect(try status(select, "80A8000000") == "6700")
        #expect(try status(select, "80A80100" + gpo.dropFirst(8)) == "6A86")
        #expect(try status(gpo) == "6985", "nothing selected")
        #expect(try status(select, gpo, gpo) == "6985", "twice")
        #expect(try status(select, "00B2011400") == "6985", "no processing options yet")
        #expect(try status(select, gpo, "00B2011400") == "9000")
        #expect(try status(select, gpo, "00B201140000") == "6700", "a stray Lc")
        #expect(try status(select, gpo, "00B20114") == "6700", "no Le")
        #expect(try status(select, gpo, "00B201140101") == "6700")
        #expect(try status(select, gpo, "00B2021400") == "6A83")
        #expect(try status(select, gpo, "00B2011500") == "6A86")
        #expect(try status(select, gpo, "80AE80000100") == "6D00", "no GENERATE AC in kernel 3")
        #expect(try status(select, "00840000") == "6D00")
        #expect(try status(select, "A0A40000") == "6E00")
        #expect(try status("00A4000007A000000003101000") == "6A86")
        #expect(try status("00A4040007A000000099101000") == "6A82")
        #expect(try status("00A4040005A00000000300") == "9000", "the beginning of the name")
        #expect(try status("00A4040004A000000000") == "6A82", "too little of it")
        #expect(try status("00A4040207A000000003101000") == "9000")
        #expect(try status(select, "00A4040207A000000003101000") == "6A82", "no next one")
        #expect(try status(ppse, "80CA9F3600") == "6985", "PPSE ends the selection")
        #expect(try status(select, "80CA9F3600") == "9000")
        #expect(try status(select, "80CA9F1700") == "6A88")
        #expect(try status("00A404000A4F53452E5641532E303100") == "6D00", "plastic knows no VAS")
        #expect(try status(select, gpo, "008800000452BF458500") == "9000", "INTERNAL AUTHENTICATE")
    }

    @Test("GENERATE AC once, with everything the CDOL asks for")
    func generateAC() throws {
        let chip = CardCase(network: .mastercard, isPhone: false).definition()
        let data = String(repeating: "00", count: 43)
        let (select, gpo, generate) = (Self.selectChip, "80A8000002830000", "80AE80002B\(data)00")
        #expect(try status(select, generate, on: chip) == "6985")
        #expect(try status(select, gpo, generate, on: chip) == "9000")
        #expect(try status(select, gpo, generate, generate, on: chip) == "6985")
        #expect(try status(select, gpo, String(generate.dropLast(2)), on: chip) == "6700")
        #expect(try status(select, gpo, "80AE80002A\(data.dropLast(2))00", on: chip) == "6700")
        #expect(try status(select, gpo, "80AEC0002B\(data)00", on: chip) == "6A86")
        #expect(try status(select, gpo, "80AE80012B\(data)00", on: chip) == "6A86")
    }

    @Test("a wallet that saw too many failing commands refuses everything")
    func errorBudget() throws {
        func answers(_ budget: Int?, isPhone: Bool) throws -> [StatusWord] {
            let phone = CardCase(network: .visa, isPhone: isPhone).phone { $0.errorBudget = budget }
            phone.fieldOn()
            let guesses = Array(repeating: "00A4040007A000000099101000", count: 7) + [Self.ppse]
            return try guesses.map { try phone.send(Hex.decode($0)).status }
        }
        #expect(try answers(nil, isPhone: true) == [0x6A82, 0x6A82, 0x6A82, 0x6A82, 0x6A82, 0x6985, 0x6985, 0x6985])
        #expect(try answers(2, isPhone: true).dropFirst(2).allSatisfy { $0 == 0x6985 })
        #expect(try answers(0, isPhone: true).last == 0x9000)
        #expect(try answers(nil, isPhone: false).last == 0x9000)
        let phone = CardCase(network: .visa, isPhone: true).phone { $0.errorBudget = 1 }
        phone.fieldOn()
        _ = try phone.send(Hex.decode("00A4040007A000000099101000"))
        #expect(try phone.send(Hex.decode(Self.ppse)).status == 0x6985)
        phone.fieldOn()
        #expect(try phone.send(Hex.decode(Self.ppse)).status == 0x9000, "the next tap is new")
    }

    @Test("commands, random and mutated: an answer each time", arguments: CardCase.all)
    func neverTraps(card: CardCase) throws {
        var random = SeededRandom(seed: UInt64(card.network.rawValue.count))
        let phone = card.phone { $0.errorBudget = 0 }
        phone.fieldOn()
        let aid = card.network.applicationIdentifier
        let pdol = RequestedObjects(card.network.profile.side(card.isPhone ? .phone : .plastic).pdol).length
        let select = [0x00, 0xA4, 0x04, 0x00, UInt8(aid.count)] + aid + [0]
        let gpo = [0x80, 0xA8, 0, 0, UInt8(pdol + 2), 0x83, UInt8(pdol)] + random.bytes(pdol) + [0]
        var good = [
            try Hex.decode(Self.ppse), select, gpo, [0x00, 0xB2, 1, 0x14, 0], [0x00, 0xB2, 2, 0x1C, 0],
            [0x80, 0xCA, 0x9F, 0x36, 0],
        ]
        if case .generateAC(let list) = card.network.profile.flow {
            let count = RequestedObjects(list).length
            good.append([0x80, 0xAE, 0x90, 0, UInt8(count)] + random.bytes(count) + [0])
        }
        var seen: Set<StatusWord> = []
        for round in 0..<1_200 {
            let command: [UInt8] =
                switch round % 4 {
                case 0: random.bytes(Int.random(in: 0...40, using: &random))
                case 1: random.mutate(good[round / 4 % good.count])
                default: good[round / 2 % good.count]
                }
            seen.insert(try phone.send(command).status)
            if round % 100 == 0 { phone.fieldOn() }
        }
        #expect(seen.isSuperset(of: [0x9000, 0x6700, 0x6985, 0x6D00, 0x6E00]), "\(seen)")
    }

    @Test("lists of requested objects, whatever the bytes")
    func requestedObjects() {
        var random = SeededRandom(seed: 5)
        for round in 0..<3_000 {
            let list = RequestedObjects(random.bytes(round % 30))
            #expect(list.values(in: [UInt8](repeating: 1, count: list.length)[...]) != nil)
            #expect(list.length == 0 || list.values(in: []) == nil)
        }
    }
}
