// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ISO7816

struct AccountNumberTests {
    @Test func `check digits, masks and digits`() {
        #expect(AccountNumber.isLuhnValid("4761739001010119") && !AccountNumber.isLuhnValid("4761739001010118"))
        #expect(!AccountNumber.isLuhnValid("") && !AccountNumber.isLuhnValid("47A1"))
        #expect(AccountNumber.masked("4761739001010119") == "476173******0119")
        #expect(AccountNumber.masked("378282246310005") == "378282*****0005")
        #expect(AccountNumber.masked("1234567890123") == "123456***0123")
        #expect(AccountNumber.masked("123456789012") == "************" && AccountNumber.masked("") == "")
        #expect(AccountNumber.digits([0x37, 0x42, 0x45, 0x00, 0x1F]) == "374245001")
        #expect(AccountNumber.digits([0x37, 0xD2, 0x45]) == "37" && AccountNumber.digits([0xF1]) == "")
        #expect(AccountNumber.digits([]) == "")
    }

    @Test(
        arguments: [
            "4761739001010119", "4761739001010010", "4111111111111111", "4012888888881881", "4000000000000002",
            "5413330089020011", "5413330089600044", "5413330056003511", "5411118888888882", "5555555555554444",
            "2223000048400011", "5204240000000000", "5123456789012346", "374245001741007", "374245455400001",
            "378282246310005", "6510000000000133", "6011000990139424", "6210948000000011", "6250941006528599",
            "3569990010095841", "1234560012345608", "1234567890123456", "9901234567890123", "5500000000000004",
            "4999999999999999", "5599999999999999", "5200000000000000", "4000000000000000", "000000000000000005",
        ].hidden)
    func `published test numbers`(_ digits: Hidden<String>) {
        #expect(TestCards.contains(pan: digits.value))
    }

    /// Numbers beside the published ones, made here; valid check digits, as a live card has.
    @Test(
        arguments: [
            "4761749001010118", "4111111111111129", "4012888888881899", "5413340000000005", "5204250000000001",
            "2223010000000004", "374245001742005", "378282246310013", "6510010000000009", "6011000990139432",
            "6210950000000003", "3569980000000008", "5555555555554451", "47617390010101190", "476173900101011",
            "", "4761", "4761739001010119D", "476173900101011A", "６５１００００００００００１３３", "6299999999999999",
        ].hidden)
    func `everything else is a live card`(_ digits: Hidden<String>) {
        #expect(!TestCards.contains(pan: digits.value))
    }

    @Test func `the table is sound`() {
        for entry in TestCards.table {
            #expect(!entry.source.isEmpty && entry.digits.utf8.allSatisfy { (0x30...0x39).contains($0) })
            #expect(entry.digits.utf8.count <= entry.lengths.upperBound)
            #expect(entry.digits.utf8.count >= 6, "an issuer's six digits at the least")
        }
        let digits = TestCards.table.map(\.digits)
        #expect(Set(digits).count == digits.count)
    }

    /// Random numbers of live issuers' shape are never in the table.
    @Test func `random numbers are not in the table`() {
        var seed: UInt64 = 20
        for _ in 0..<20_000 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let digits = "4\(10_000_000_000_000 + seed % 89_999_999_999_999)5"
            #expect(!TestCards.contains(pan: digits) || digits.hasPrefix("476173"))
        }
    }
}

/// Every account number in the vectors is one that is published.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"] != nil, "COUNTERTOP_VECTORS is not set"))
struct VectorAccountTests {
    @Test func `account numbers in the vectors`() throws {
        let folder = (ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"] ?? "") + "/emv"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
        var found: Set<String> = []
        for file in files {
            guard let data = FileManager.default.contents(atPath: folder + "/" + file) else { continue }
            let text = String(decoding: data, as: UTF8.self)
            for match in text.matches(of: /"pan": "([0-9]{13,19})F*"/) { found.insert(String(match.1)) }
            for match in text.matches(of: /(?:"|9000|F)(?:[0-9A-F]{2})*?5A08([0-9]{16})5F/) {
                found.insert(String(match.1))
            }
        }
        #expect(found.count > 8)
        for pan in found.sorted() { #expect(TestCards.contains(pan: pan), "\(pan)") }
    }
}
