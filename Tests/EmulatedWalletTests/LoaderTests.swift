// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EmulatedWallet

/// From files and folders.
@Suite("Loading a phone")
struct LoaderTests {
    private func package(_ club: Club, nfc: Bool = true) throws -> PassPackage {
        var pass = club.pass()
        if !nfc { pass.nfc = nil }
        let json = try JSONEncoder().encode(PhoneDefinition(passes: [pass]))
        guard case .object(let phone) = try PhoneJSON(parsing: Array(json)), case .array(let passes) = phone["passes"],
            case .object(var members) = passes.first
        else { throw WalletError(.notJSON, "") }
        // Keys that Apple may add tomorrow.
        members["somethingNew"] = .number(1)
        if case .object(var nfc) = members["nfc"] {
            nfc["somethingNew"] = .number(1)
            members["nfc"] = .object(nfc)
        }
        let passJSON = Array(try JSONEncoder().encode(PhoneJSON.object(members)))
        return try PassPackage(files: ["pass.json": passJSON, "icon.png": [1, 2, 3]])
    }

    @Test("a JSON file, a .pkpass, a folder of .pkpass files")
    func kinds() async throws {
        let (club, shop) = (try Club(), try Club("pass.com.example.shop"))
        try await withFolder { folder in
            let definition = PhoneDefinition([club, shop])
            try JSONEncoder().encode(definition).write(to: URL(filePath: folder + "/phone.json"))
            try package(club).write(to: folder + "/b.pkpass")
            try package(shop).write(to: folder + "/a.PKPASS")
            #expect(try PhoneDefinition.load(path: folder + "/phone.json") == definition)
            #expect(try PhoneDefinition.load(path: folder + "/b.pkpass") == PhoneDefinition([club]))
            #expect(try PhoneDefinition.load(path: folder) == PhoneDefinition([shop, club]), "in order of names")
        }
    }

    @Test("what cannot be loaded names the file and says what to do")
    func errors() async throws {
        let club = try Club()
        try await withFolder { folder in
            func code(_ name: String) throws -> WalletError.Code {
                let error = try #require(throws: WalletError.self) {
                    try PhoneDefinition.load(path: "\(folder)/\(name)")
                }
                #expect(error.reason.contains(folder))
                return error.code
            }
            func write(_ text: String, _ name: String) throws {
                try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            #expect(try code("missing.json") == .unreadableFile)
            // A file whose size says nothing of what comes out of it.
            try FileManager.default.createSymbolicLink(atPath: folder + "/endless", withDestinationPath: "/dev/zero")
            #expect(try code("endless") == .tooLarge)
            #expect(try code("") == .emptyFolder)
            try write("{\"pases\":[]}", "phone.json")
            #expect(try code("phone.json") == .unknownKey)
            try write("{}", "pass.pkpass")
            #expect(try code("pass.pkpass") == .notAnArchive)
            #expect(try code("") == .notAnArchive)
            try package(club, nfc: false).write(to: folder + "/pass.pkpass")
            #expect(try code("pass.pkpass") == .noNFC)
            #expect(try code("") == .noNFC)
            try package(club).write(to: folder + "/second.pkpass")
            #expect(try PhoneDefinition.load(path: folder).passes.count == 2)
        }
    }
}
