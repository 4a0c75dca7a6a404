// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import ISO7816
import Testing

@testable import EmulatedWallet

/// Whatever the bytes: an answer or a typed error.
@Suite("Never traps")
struct NeverTrapsTests {
    @Test("commands, random and mutated", arguments: [nil, 1, 33])
    func commands(chunkSize: Int?) throws {
        let club = try Club()
        var random = SeededRandom(seed: UInt64(chunkSize ?? 0))
        let phone = EmulatedPhone(PhoneDefinition([club]) { $0.answer.chunkSize = chunkSize })
        phone.fieldOn()
        let good = [
            selectVAS, club.getVASData,
            VASRequest(club) { ($0.filter, $0.url) = ([1, 0, 0, 0, 0], "https://example.com") }.bytes,
            VASRequest.urlOnly("https://example.com").bytes, [0x00, 0xC0, 0x00, 0x00, 0x00],
        ]
        var seen: Set<StatusWord> = []
        var longest = 0
        for round in 0..<6_000 {
            if round % 50 == 0 { phone.unlock() }
            let command: [UInt8] =
                switch round % 5 {
                case 0: random.bytes(Int.random(in: 0...40, using: &random))
                case 1: good[round / 5 % good.count]
                default: random.mutate(good[round / 5 % good.count])
                }
            let response = try phone.send(command)
            longest = max(longest, response.bytes.count)
            seen.insert(response.status)
        }
        #expect(longest <= 65_538)
        #expect(seen.isSuperset(of: [0x6700, 0x6A80, 0x6A83, 0x6B00, 0x6D00, 0x6E00, 0x6340]))
    }

    @Test("wallet files, random and mutated")
    func definitions() throws {
        var random = SeededRandom(seed: 1)
        let club = try Club()
        var definition = PhoneDefinition([club])
        definition.answer.unknownTags = [0x9F, 0x30, 0x00]
        definition.statusWords.passes = ["pass.a": 0x6A83]
        definition.mobileCapabilities = [0, 0, 0, 1]
        definition.answerDelay = 3
        let good = Array(try JSONEncoder().encode(definition))
        for round in 0..<1_500 {
            let bytes = round % 4 == 0 ? random.bytes(round % 60) : random.mutate(good)
            do throws(WalletError) {
                let read = try PhoneDefinition(json: bytes)
                let phone = EmulatedPhone(read)
                phone.fieldOn()
                _ = phone.respond(to: selectVAS)
            } catch {
                if error.reason.isEmpty { Issue.record("an error without a reason") }
            }
        }
        let deep = Array((String(repeating: "[", count: 100_000)).utf8)
        #expect(throws: WalletError.self) { try PhoneDefinition(json: deep) }
        let nested = String(repeating: #"{"answer":"#, count: 400) + "1" + String(repeating: "}", count: 400)
        #expect(throws: WalletError.self) { try PhoneDefinition(json: Array(nested.utf8)) }
    }

    @Test("packages, random and mutated")
    func packages() throws {
        var random = SeededRandom(seed: 2)
        let good = try PassPackage(files: [
            "pass.json": Array(#"{"passTypeIdentifier":"pass.a","nfc":{"message":"m"}}"#.utf8),
            "manifest.json": Array(#"{"pass.json":"00"}"#.utf8), "en.lproj/pass.strings": random.bytes(300),
        ]).archived()
        var opened = 0
        for round in 0..<1_500 {
            let bytes = round % 10 == 0 ? [0x50, 0x4B, 0x03, 0x04] + random.bytes(200) : random.mutate(good)
            do throws(WalletError) {
                let package = try PassPackage(bytes)
                opened += 1
                _ = try package.manifest()
                _ = try package.contents()
            } catch {
                if error.reason.isEmpty { Issue.record("an error without a reason") }
            }
        }
        #expect(opened > 0)
    }
}
