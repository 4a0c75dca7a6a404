// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import EmulatedWallet

/// Corners that the other suites do not reach.
@Suite("Edges")
struct EdgeTests {
    @Test("one phone, many threads: each pass is handed out once")
    func threads() async throws {
        let clubs = try (0..<8).map { try Club("pass.com.example.\($0)") }
        let phone = try EmulatedPhone.selected(PhoneDefinition(clubs))
        let words = try await withThrowingTaskGroup(of: [StatusWord].self) { group in
            for _ in 0..<8 { group.addTask { try clubs.map { try phone.status($0) } } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(words.filter { $0 == 0x9000 }.count == 8)
        #expect(words.filter { $0 == 0x6287 }.count == 56)
        #expect(phone.alreadyRead.map(\.passTypeIdentifier) == clubs.map(\.identifier))
    }

    @Test("many taps leave the phone as large as it was")
    func manyTaps() throws {
        let club = try Club()
        let phone = EmulatedPhone(PhoneDefinition([club]) { $0.wallet = .applePay })
        let missing = VASRequest(merchantID: [UInt8](repeating: 1, count: 32))
        for index in 0..<500 {
            try phone.tap()
            #expect(try phone.status(club) == 0x9000)
            var request = missing
            request.url = "https://example.com/\(index)"
            #expect(try phone.status(request) == 0x6A83)
            phone.fieldOff()
        }
        #expect(phone.tapCount == 500)
        #expect(phone.receivedURLs.count == PhoneState.inboxSize)
        #expect(phone.alreadyRead.count == 1)
    }

    @Test("no two payloads are alike, not even of one pass")
    func fresh() throws {
        let club = try Club()
        let phone = EmulatedPhone(PhoneDefinition([club]))
        var seen: Set<[UInt8]> = []
        for _ in 0..<20 {
            try phone.tap()
            seen.insert(Array(try phone.send(club.getVASData).cryptogram()[4..<36]))
        }
        #expect(seen.count == 20)
    }

    @Test("two pass types with one key share the key id, not the payload's key")
    func sharedKey() throws {
        let club = try Club()
        var pass = club.pass()
        pass.passTypeIdentifier = "pass.com.example.twin"
        let phone = try EmulatedPhone.selected(PhoneDefinition(passes: [club.pass(), pass]))
        let twin = VASRequest(merchantID: Digest.sha256("pass.com.example.twin".utf8))
        let cryptogram = try phone.send(twin.bytes).cryptogram()
        #expect(throws: CryptoError.self) { try club.open(cryptogram) }
        #expect(try club.open(phone.send(club.getVASData).cryptogram()).message == Array("M-0042".utf8))
    }

    @Test("objects in any order, padded, and the first of two counts")
    func order() throws {
        let club = try Club()
        let phone = EmulatedPhone(PhoneDefinition([club]))
        let objects: [TLV] = [
            TLV(0x9F26, [0, 0x80, 0, 2]), TLV(0x9F25, club.merchantID), TLV(0x9F22, [1, 0]), TLV(0x9F22, [2, 0]),
        ]
        for rotation in 0..<3 {
            let rotated = Array(objects[rotation..<3]) + Array(objects[..<rotation]) + Array(objects[3...])
            var data: [UInt8] = []
            for object in rotated { data += TLVBuilder.build { $0.append(object.tag, object.value) } + [0] }
            let command = try CommandAPDU(cla: 0x80, ins: 0xCA, p1: 1, p2: 1, data: data, ne: 256)
            try phone.tap()
            #expect(try phone.send(command.bytes).status == 0x9000)
        }
    }

    @Test("a phone away from the field answers nothing")
    func away() throws {
        let phone = EmulatedPhone(PhoneDefinition([]))
        #expect(phone.respond(to: selectVAS) == .leftField)
        #expect(phone.tapCount == 0)
        phone.fieldOn()
        phone.fieldOff()
        #expect(phone.respond(to: selectVAS) == .leftField)
    }

    @Test("distances between words")
    func distances() {
        #expect(Suggestion.distance("pases", "passes") == 1)
        #expect(Suggestion.distance("", "abc") == 3)
        #expect(Suggestion.distance("kitten", "sitting") == 3)
        #expect(Suggestion.distance("same", "same") == 0)
        #expect(Suggestion.distance(String(repeating: "x", count: 10_000), "y") == 64)
    }

    @Test("files that cannot be read or written say so")
    func files() async throws {
        try await withFolder { folder in
            let package = try PassPackage(files: ["pass.json": Array("{}".utf8)])
            let unwritable = try #require(throws: WalletError.self) { try package.write(to: folder + "/no/a.pkpass") }
            #expect(unwritable.code == .unreadableFile)
            #expect(unwritable.description.hasSuffix("cannot be written"))
            let missing = try #require(throws: WalletError.self) { try PassPackage(path: folder + "/b.pkpass") }
            #expect(missing.code == .unreadableFile)
            try package.write(to: folder + "/c.pkpass")
            #expect(try PassPackage(path: folder + "/c.pkpass") == package)
            let incomplete = try #require(throws: WalletError.self) {
                try PhoneDefinition.load(path: folder + "/c.pkpass")
            }
            #expect(incomplete.code == .missingKey)
            #expect(incomplete.reason == "\(folder)/c.pkpass: `passTypeIdentifier` is missing")
        }
    }
}
