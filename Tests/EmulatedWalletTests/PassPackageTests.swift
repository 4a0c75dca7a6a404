// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EmulatedWallet

/// Archives as they come, and as they should not.
@Suite("Pass packages")
struct PassPackageTests {
    private typealias Entry = PassArchive.Entry

    private static let passJSON = Array(
        #"""
        {"formatVersion":1,"passTypeIdentifier":"pass.a","serialNumber":"1","teamIdentifier":"T",
         "sharingProhibited":true,"organizationName":"Example","nfc":{"message":"m","encryptionPublicKey":"k","requiresAuthentication":true,"x":1}}
        """#.utf8)

    private func error(_ entries: [Entry], limits: PassPackage.Limits = .init()) throws -> WalletError {
        let archive = try PassArchive.pack(entries)
        return try #require(throws: WalletError.self) { try PassPackage(archive, limits: limits) }
    }

    @Test("files, contents and manifest, written and read again")
    func roundTrip() throws {
        let files: [String: [UInt8]] = [
            "pass.json": Self.passJSON, "manifest.json": Array(#"{"pass.json":"ABCDEF","é.png":"01"}"#.utf8),
            "signature": [0x30, 0x00], "en.lproj/pass.strings": Array("text".utf8), "é.png": [],
            "icon.png": [UInt8](repeating: 7, count: 200_000),
        ]
        let archive = try PassPackage(files: files).archived()
        #expect(try PassPackage(files: files).archived() == archive)
        let package = try PassPackage(archive)
        #expect(package.files == files)
        #expect(package.signature == [0x30, 0x00])
        #expect(try package.manifest() == ["pass.json": "abcdef", "é.png": "01"])
        let contents = try package.contents()
        #expect(contents.passTypeIdentifier == "pass.a")
        #expect(contents.serialNumber == "1")
        #expect(contents.teamIdentifier == "T")
        #expect(contents.organizationName == "Example")
        #expect(contents.formatVersion == 1)
        #expect(contents.sharingProhibited == true)
        #expect(contents.nfc?.message == "m")
        #expect(contents.nfc?.encryptionPublicKey == "k")
        #expect(contents.nfc?.requiresAuthentication == true)
        #expect(contents.nfc?.keys == ["encryptionPublicKey", "message", "requiresAuthentication", "x"])
    }

    @Test("no manifest, a manifest that is none, a pass.json that is none")
    func contents() throws {
        #expect(try PassPackage(files: ["pass.json": [0x7B, 0x7D]]).manifest() == nil)
        #expect(try PassPackage(files: ["pass.json": [0x7B, 0x7D]]).contents().nfc == nil)
        let odd = try PassPackage(files: ["pass.json": [0x5B], "manifest.json": Array(#"{"a":1}"#.utf8)])
        let manifest = try #require(throws: WalletError.self) { try odd.manifest() }
        #expect(manifest.code == .wrongType && manifest.reason.hasPrefix("manifest.json: `a` is a number"))
        let pass = try #require(throws: WalletError.self) { try odd.contents() }
        #expect(pass.code == .notJSON && pass.reason.hasPrefix("pass.json: "))
    }

    @Test("folders are passed over; one level of them is taken")
    func folders() throws {
        let archive = try PassArchive.pack([
            Entry(name: "en.lproj/", isFolder: true), Entry(name: "pass.json", data: Self.passJSON),
        ])
        #expect(try PassPackage(archive).files.keys.sorted() == ["pass.json"])
    }

    @Test(
        "names that lead elsewhere",
        arguments: ["../pass.json", "/etc/passwd", "a/../b", "a//b", "./a", "a\u{1B}[2Jb", "..", "a/./b"])
    func unsafeNames(name: String) throws {
        let error = try error([Entry(name: name, data: [1])])
        #expect(error.code == .unsafePath)
        #expect(!error.reason.contains("\u{1B}"))
    }

    @Test("what is no pass: links, duplicates, deep folders, no pass.json, a packed folder")
    func noPass() throws {
        #expect(try error([Entry(name: "a", linkTarget: "/etc/passwd")]).code == .notAFile)
        #expect(try error([Entry(name: "a", data: [1]), Entry(name: "a", data: [2])]).code == .duplicateEntry)
        #expect(try error([Entry(name: "a/b/c", data: [1])]).code == .nestedFolder)
        #expect(try error([Entry(name: "icon.png", data: [1])]).code == .missingPassJSON)
        let packed = try error([Entry(name: "MyPass/pass.json", data: Self.passJSON)])
        #expect(packed.code == .missingPassJSON)
        #expect(packed.hint?.contains("MyPass/pass.json") == true)
    }

    @Test("limits: entries, bytes of a file, of all, of the archive, and bombs")
    func limits() throws {
        let many = (0..<20).map { Entry(name: "f\($0)", data: [UInt8](repeating: 1, count: 100)) }
        var limits = PassPackage.Limits()
        limits.entries = 10
        #expect(try error(many, limits: limits).code == .tooManyEntries)
        limits = .init()
        limits.fileBytes = 99
        #expect(try error(many, limits: limits).code == .tooLarge)
        limits = .init()
        limits.totalBytes = 1_000
        #expect(try error(many, limits: limits).code == .tooLarge)
        limits = .init()
        limits.archiveBytes = 100
        #expect(try error(many, limits: limits).code == .tooLarge)
        let bomb = Entry(name: "bomb", data: [UInt8](repeating: 0, count: 8 << 20))
        #expect(try error([bomb]).code == .suspiciousCompression)
    }

    @Test("not a zip, cut off, damaged")
    func damaged() throws {
        func code(_ bytes: [UInt8]) throws -> WalletError.Code {
            let error = try #require(throws: WalletError.self) { try PassPackage(bytes) }
            #expect(error.hint != nil)
            return error.code
        }
        #expect(try code([]) == .notAnArchive)
        #expect(try code(Array("{\"passes\":[]}".utf8)) == .notAnArchive)
        var archive = try PassArchive.pack([
            Entry(name: "pass.json", data: Self.passJSON), Entry(name: "x", data: (0..<255).map { $0 &* 37 }),
        ])
        #expect(try code(Array(archive.prefix(archive.count / 2))) == .truncatedArchive)
        #expect(try code(Array(archive.prefix(10))) == .truncatedArchive)
        // Inside the first entry's compressed data.
        for index in 60..<80 { archive[index] ^= 0x5A }
        #expect(try code(archive) == .damagedArchive)
    }
}
