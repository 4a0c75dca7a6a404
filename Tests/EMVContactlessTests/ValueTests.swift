// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Foundation
import ISO7816
import Testing

@testable import EMVContactless

@Suite("Data objects")
struct ValueTests {
    @Test("TLV vectors", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
    func tlv() throws {
        let vectors = Vectors.load("tlv/ber-tlv.json")
        for row in vectors["decode"].elements {
            let trees = try TLVTree.read(try #require(row["hex"].hex), rules: .lenient)
            #expect(matches(trees, row["value"]), "\(row["hex"].string ?? "")")
        }
        for row in vectors["reject"].elements {
            let bytes = try #require(row["hex"].hex)
            let error = #expect(throws: TLVError.self) { try TLVTree.read(bytes, rules: .lenient) }
            #expect(error?.part.rawValue == row["part"].string && error?.tag == row["tag"].string, "\(bytes)")
            #expect(error?.offset == row["offset"].int, "\(Hex.encode(bytes))")
        }
        for row in vectors["encode"].elements {
            #expect(Hex.encode(encode(row["value"], order: try #require(row["hex"].string))) == row["hex"].string)
        }
    }

    private func matches(_ trees: [TLVTree], _ json: JSON) -> Bool {
        Set(trees.map(\.object.tag.description)) == Set(json.members.keys)
            && trees.allSatisfy { tree in
                let value = json[tree.object.tag.description]
                return tree.object.tag.isConstructed
                    ? matches(tree.children, value) : value.hex == tree.object.bytes
            }
    }

    /// JSON objects have no order: the tags come as they stand in the expected text.
    private func encode(_ json: JSON, order text: String) -> [UInt8] {
        let tags = json.members.keys.sorted {
            text.firstRange(of: $0)?.lowerBound ?? text.startIndex < text.firstRange(of: $1)?.lowerBound
                ?? text.endIndex
        }
        return TLVBuilder.build { builder in
            for tag in tags {
                let value = json[tag].string == nil ? encode(json[tag], order: text) : json[tag].hex ?? []
                TLVTag(hex: tag).map { builder.append($0, value) }
            }
        }
    }

    @Test("DOL vectors", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
    func dol() throws {
        let vectors = Vectors.load("tlv/dol.json")
        for row in vectors["parse"].elements {
            let list = try? DataObjectList(try #require(row["dol"].hex))
            #expect((list != nil) == row["valid"].bool)
            guard let list else { continue }
            let entries = row["entries"].elements.map { ($0.elements.first?.string, $0.elements.last?.int) }
            #expect(list.entries.map(\.tag.description) == entries.map(\.0))
            #expect(list.entries.map(\.length) == entries.map(\.1))
        }
        for row in vectors["build"].elements {
            let sources = row["sources"].elements.map { source in
                Dictionary(
                    uniqueKeysWithValues: source.members.compactMap { tag, value in
                        TLVTag(hex: tag).map { ($0, value.hex ?? []) }
                    })
            }
            let list = try DataObjectList(try #require(row["dol"].hex))
            #expect(Hex.encode(list.data(from: sources)) == row["data"].string)
            #expect(list.dataLength == row["data"].hex?.count)
        }
    }

    @Test("DOL values are cut and filled by format")
    func dolRules() throws {
        let list = try DataObjectList(hex("9F02039F0308 5A0A 5002 5F2004 9F7F02 BF0C03 DFFF0102"))
        let values: [TLVTag: [UInt8]] = [
            0x9F02: hex("000000001250"), 0x9F03: hex("000000000007"), 0x5A: hex("5413"), 0x50: hex("414243"),
            0x5F20: hex("41"), 0xBF0C: hex("010203"), 0xDFFF01: hex("09"),
        ]
        #expect(
            Hex.encode(list.data(from: [values]))
                == "001250" + "0000000000000007" + "5413FFFFFFFFFFFFFFFF" + "4142" + "41000000" + "0000" + "000000"
                + "0900")
    }

    @Test("CVM list vectors", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
    func cvmLists() throws {
        for row in Vectors.load("tlv/cvm-list.json")["cases"].elements {
            let list = try? CardholderVerificationList(try #require(row["list"].hex))
            #expect((list != nil) == row["valid"].bool, "\(row["list"].string ?? "")")
            guard let list else { continue }
            #expect(Int(list.amountX) == row["amountX"].int && Int(list.amountY) == row["amountY"].int)
            let rules = list.rules.map { Hex.encode([$0.code, $0.condition]) }
            #expect(rules == row["rules"].elements.compactMap(\.string))
        }
    }

    @Test("CVM rules in words")
    func cvmWords() throws {
        let list = try CardholderVerificationList(hex("00000000000000005E031F030F7F"))
        #expect(
            list.rules.map(\.words) == [
                "Signature, if terminal supports the CVM, else next",
                "No CVM required, if terminal supports the CVM, else fail", "RFU method, RFU condition, else fail",
            ])
    }

    @Test("Track vectors", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
    func tracks() throws {
        let vectors = Vectors.load("tlv/tracks.json")
        for row in vectors["track2"].elements {
            let track = try Track2(try #require(row["hex"].hex))
            #expect(track.pan == row["pan"].string && track.expiry == row["expiry"].string)
            #expect(track.serviceCode == row["service"].string)
        }
        for row in vectors["track1"].elements {
            let track = try Track1(try #require(row["hex"].hex))
            #expect(track.pan == row["pan"].string && track.expiry == row["expiry"].string)
            #expect(track.serviceCode == row["service"].string && track.name.hasPrefix(row["name"].string ?? "-"))
        }
    }

    @Test("Tracks cannot be printed")
    func tracksUnprintable() throws {
        let track = try Track2(hex("4761739001010119D28122010000000000000F"))
        var text = "\(track)"
        dump(track, to: &text)
        #expect(!text.contains("4761"))
        #expect(throws: EMVError.self) { try Track2(hex("4761")) }
        #expect(throws: EMVError.self) { try Track1(hex("42313233")) }
    }

    @Test("AFL rules")
    func afl() throws {
        let afl = try ApplicationFileLocator(hex("0801020118010100"))
        #expect(
            afl.records.map { [$0.sfi, $0.number, $0.isAuthenticated ? 1 : 0] } == [[1, 1, 1], [1, 2, 0], [3, 1, 0]])
        for bad in [
            "", "080101", "00010100", "F8010100", "0C010100", "08000100", "08020100", "08010102", "080101000801",
        ] {
            #expect(throws: EMVError.self) { try ApplicationFileLocator(hex(bad)) }
        }
        #expect(try ApplicationFileLocator(hex("F001FF00")).records.count == 255)
    }

    @Test("Dates")
    func dates() throws {
        let date = EMVDate(Date(timeIntervalSince1970: 1_785_931_200))
        #expect(Hex.encode(date.bcd) == "260805" && Hex.encode(date.time) == "120000")
        #expect(EMVDate(bcd: hex("490101"))?.year == 2049 && EMVDate(bcd: hex("500101"))?.year == 1950)
        #expect(EMVDate(bcd: hex("261301")) == nil && EMVDate(bcd: hex("2A0101")) == nil)
        #expect(EMVDate(monthYear: hex("1231"))?.month == 12)
        #expect(EMVDate(monthYear: hex("1399")) == nil)
        let first = EMVDate(year: 2026, month: 1, day: 2)
        #expect(first < EMVDate(year: 2026, month: 1, day: 2, secondOfDay: 1) && !first.isBefore(dayOf: first))
    }

    @Test("Account numbers")
    func accountNumbers() {
        #expect(AccountNumber.isLuhnValid("4761739001010119") && !AccountNumber.isLuhnValid("4761739001010118"))
        #expect(!AccountNumber.isLuhnValid("") && !AccountNumber.isLuhnValid("47A1"))
        #expect(AccountNumber.masked("4761739001010119") == "476173******0119")
        #expect(AccountNumber.masked("123456") == "******")
        #expect(AccountNumber.digits(hex("374245001741007F")) == "374245001741007")
    }
}

@Suite("Card data")
struct CardDataTests {
    @Test("Sensitive values are not given out, nothing is printed, erase forgets")
    func owner() throws {
        let data = CardData()
        data.set(0x5A, hex("4761739001010119"))
        data.set(0x82, hex("2000"))
        data.set(0x9F26, hex("C3F0EC4143A3F6D6"))
        #expect(data.bytes(of: 0x5A) == nil && data.bytes(of: 0x9F26) == nil)
        #expect(data.bytes(of: 0x82) == hex("2000") && data.bytes(of: 0x94) == nil)
        #expect(data.sensitiveBytes(of: 0x9F26) == hex("C3F0EC4143A3F6D6"))
        #expect(data.maskedPAN == "476173******0119" && data.isPANValid == true)
        var text = "\(data) \(String(reflecting: data))"
        dump(data, to: &text)
        #expect(!text.contains("4761") && !text.contains("71, 97") && text.contains("3 objects"))
        data.set(0x82, hex("5980"))
        #expect(data.bytes(of: 0x82) == hex("5980") && data.tags.count == 3)
        data.erase()
        #expect(data.tags.isEmpty && data.maskedPAN == nil && data.pan == nil)
    }

    @Test("Grows beyond its first memory")
    func growth() {
        let data = CardData()
        let value = [UInt8](repeating: 7, count: 1000)
        for number in 0..<20 { data.set(TLVTag(rawValue: 0xDF00 + UInt32(number)), value) }
        #expect(data.sensitiveBytes(of: 0xDF13) == value && data.tags.count == 20)
        data.append(record: .init(sfi: 1, number: 2, isAuthenticated: true), value)
        #expect(data.records.first?.bytes == value)
        #expect(data.withBytes(of: 0xDF00) { $0.count } == 1000)
    }
}
