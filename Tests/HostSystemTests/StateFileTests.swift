// SPDX-License-Identifier: Apache-2.0

import Foundation
import HostSystem
import Testing

@Suite("State files and directories")
struct StateFileTests {
    private static func folder(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "countertop-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private static func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    private static func replace(_ path: String, _ text: String) throws(HostFileError) {
        let result = Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(HostFileError) in try StateFile.replace(path, with: bytes) }
        }
        try result.get()
    }

    @Test("A directory is made for its owner alone, with its parents; an existing one is left as it is")
    func directories() throws {
        try Self.folder { path in
            let made = try StateDirectory(making: path + "/a/b")
            #expect(made.isOwn && made.isClosed && !made.isShared && made.isEmpty)
            #expect(try Self.mode(path + "/a") == 0o700 && Self.mode(path + "/a/b") == 0o700)
            try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: path + "/a/b")
            let shared = try StateDirectory(making: path + "/a/b")
            #expect(!shared.isClosed && shared.isShared)
            #expect(try Self.mode(path + "/a/b") == 0o770)
            try shared.close()
            #expect(try StateDirectory(making: path + "/a/b").isClosed)
            #expect(try StateDirectory(making: path + "/a/./b/../b") == made)
        }
    }

    @Test("A file in the place of a directory is named")
    func noDirectory() throws {
        try Self.folder { path in
            _ = try StateDirectory(making: path)
            try StateFile.claim(path + "/file")
            let error = #expect(throws: HostFileError.self) { try StateDirectory(making: path + "/file") }
            #expect(error?.description == "\(path)/file is no directory")
            let below = #expect(throws: HostFileError.self) { try StateDirectory(making: path + "/file/below") }
            #expect(below?.kind == .notAllowed)
            #expect(below?.description.hasPrefix("\(path)/file/below cannot be made: ") == true)
        }
    }

    @Test("A claimed file is its owner's and keeps what is in it; a link is refused")
    func claim() throws {
        try Self.folder { path in
            let file = try StateDirectory(making: path).file("state")
            #expect(FileManager.default.createFile(atPath: file, contents: Data("x".utf8)))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            try StateFile.claim(file)
            #expect(try Self.mode(file) == 0o600)
            #expect(FileManager.default.contents(atPath: file) == Data("x".utf8))
            try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: file)
            #expect(throws: HostFileError.self) { try StateFile.claim(path + "/link") }
        }
    }

    @Test("A replaced file is whole, private, and alone in its folder")
    func replacing() throws {
        try Self.folder { path in
            let file = try StateDirectory(making: path).file("state")
            try Self.replace(file, "first")
            try Self.replace(file, String(repeating: "second", count: 100_000))
            #expect(FileManager.default.contents(atPath: file)?.count == 600_000)
            #expect(try Self.mode(file) == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["state"])
            try Self.replace(file, "")
            #expect(FileManager.default.contents(atPath: file) == Data())
        }
    }

    @Test("What cannot be written leaves the old file and no draft")
    func failedReplacing() throws {
        try Self.folder { path in
            let directory = try StateDirectory(making: path)
            _ = try StateDirectory(making: directory.file("taken"))
            let error = #expect(throws: HostFileError.self) { try Self.replace(directory.file("taken"), "text") }
            #expect(error?.kind == .notAllowed)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["taken"])
            #expect(throws: HostFileError.self) { try Self.replace(path + "/none/state", "text") }
        }
    }

    @Test("A device without room is told from one that may not be written")
    func noRoom() throws {
        errno = ENOSPC
        #expect(HostFileError("/f", "cannot be written").kind == .full)
        errno = EACCES
        let error = HostFileError("/f", "cannot be written")
        #expect(error.kind == .notAllowed && error.description == "/f cannot be written: Permission denied")
    }

    @Test("A lock has one holder, and is free when that one goes")
    func locks() throws {
        try Self.folder { path in
            let file = try StateDirectory(making: path).file("lock")
            var held: ProcessLock? = try ProcessLock(file)
            let error = #expect(throws: HostFileError.self) { try ProcessLock(file) }
            #expect(error?.kind == .busy && error?.description == "another process has \(file)")
            withExtendedLifetime(held) {}
            held = nil
            _ = try ProcessLock(file)
            #expect(try Self.mode(file) == 0o600)
        }
    }

    @Test("The real time grows, and a sleep ends with its task")
    func time() async {
        let time = HostTime.system
        let start = time.uptime()
        await time.sleep(.milliseconds(5))
        #expect(time.uptime() - start >= .milliseconds(5))
        let sleeper = Task { await time.sleep(.seconds(600)) }
        sleeper.cancel()
        await sleeper.value
        #expect(time.uptime() - start < .seconds(300))
    }
}
