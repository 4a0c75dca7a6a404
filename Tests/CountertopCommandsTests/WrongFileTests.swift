// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WalletCrypto

/// What every complaint has to be: one or two lines that begin with the program's name, and no full stop.
func expectComplaint(_ outcome: Outcome, _ comment: String) {
    let lines = outcome.error.split(separator: "\n").filter { !isEvent(String($0)) }
    #expect((1...2).contains(lines.count), "\(comment): \(outcome.error)")
    for line in lines {
        #expect(line.hasPrefix("countertop: "), "\(comment)")
        #expect(!line.hasSuffix("."), "\(comment)")
        #expect(line.count < 240, "\(comment)")
        for word in ["Error Domain", "NSCocoa", "Swift.", "Optional(", "Fatal"] {
            #expect(!line.contains(word), "\(comment)")
        }
    }
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("countertop: hint: ") }, "\(comment)")
}

/// Apple's events are told on the same stream.
private func isEvent(_ line: String) -> Bool {
    ["readyForTap", "cardDetected", "removeCard", "readRetry", "readCompleted", "readCancelled", "userInterface"]
        .contains { line.hasPrefix("countertop: \($0)") }
}

/// Every command that takes a file, with every kind of wrong file.
@Suite struct WrongFileTests {
    static let commands = [
        "read --pass pass.x --reader emulated:@FILE", "read --pass pass.x --reader replay:@FILE",
        "watch --pass pass.x --reader emulated:@FILE", "watch --pass pass.x --reader replay:@FILE",
        "record --pass pass.x --reader emulated:@FILE --output @new.apdu",
        "read --pass pass.x --key @FILE --reader emulated:@phone.json", "apdu 00A40400 --reader emulated:@FILE",
        "replay @FILE --pass pass.x", "trace show @FILE", "trace diff @FILE @FILE", "emulate @FILE",
        "key show @FILE", "decrypt --pass pass.x --key @FILE 00", "token --key @FILE",
        "verify-pass @pass.pkpass --root @FILE", "verify-pass @FILE --key @key.pem",
        "verify-pass @pass.pkpass --key @FILE",
    ]

    /// The status of a file that is there but wrong; `verify-pass` reports it as a failed check instead.
    private func expected(_ command: String, _ file: String) -> Set<Int32> {
        switch file {
        case "none": [66]
        // A folder of passes is a phone, but an empty one is not.
        case "folder": command.contains("emulated:@FILE") || command.hasPrefix("emulate ") ? [65] : [66]
        default: command.hasPrefix("verify-pass @FILE") ? [1] : [65]
        }
    }

    @Test(arguments: commands) func isRefused(_ command: String) async throws {
        let bench = try Bench()
        try bench.write("pass.pkpass", [0])
        try FileManager.default.createDirectory(atPath: bench.path("folder"), withIntermediateDirectories: false)
        try bench.write("nothing", [], mode: 0o600)
        try bench.write("binary", (0..<2_048).map { UInt8(truncatingIfNeeded: $0 * 131 + 0x80) }, mode: 0o600)
        try bench.write("latin1", [0xFF, 0xFE, 0xE9, 0x7B, 0x22], mode: 0o600)
        try bench.write("words", Array("hello there\n".utf8), mode: 0o600)
        for file in ["none", "folder", "nothing", "binary", "latin1", "words"] {
            let line = command.replacing("FILE", with: file)
            let outcome = await bench.run(line)
            #expect(expected(command, file).contains(outcome.status), "\(line): \(outcome.status) \(outcome.error)")
            if outcome.status == 1 {
                #expect(outcome.output.contains("fail    archive"), "\(line)")
            } else {
                expectComplaint(outcome, line)
                #expect(outcome.error.contains(file) || file == "nothing", "\(line): the file is not named")
                #expect(outcome.output.isEmpty, "\(line)")
            }
            #expect(!FileManager.default.fileExists(atPath: bench.path("new.apdu")), "\(line)")
        }
    }

    /// A sparse file of 3 GiB must not be read to its end, nor must a device without one.
    @Test(arguments: [
        "key show @FILE", "verify-pass @FILE", "verify-pass @phone.json --root @FILE", "trace show @FILE",
    ])
    func isNotReadForEver(_ command: String) async throws {
        let bench = try Bench()
        try bench.write("huge", [], mode: 0o600)
        #expect(truncate(bench.path("huge"), 3 << 30) == 0)
        for line in [command.replacing("FILE", with: "huge"), command.replacing("@FILE", with: "/dev/zero")] {
            let start = ContinuousClock.now
            let outcome = await bench.run(line)
            #expect(outcome.status == 65, "\(line): \(outcome.error)")
            expectComplaint(outcome, line)
            #expect(ContinuousClock.now - start < .seconds(15))
        }
    }
}

/// Every command that takes a key, with every kind of wrong key.
@Suite struct WrongKeyTests {
    static let commands = [
        "read --pass pass.x --reader emulated:@phone.json --key @FILE", "decrypt --pass pass.x --key @FILE 00",
        "verify-pass @phone.json --key @FILE", "token --key @FILE",
    ]

    struct Wrong: Sendable, CustomTestStringConvertible {
        let file: String
        let status: Int32
        let words: String
        var isPublic = false
        var testDescription: String { file }
    }

    static let wrong = [
        Wrong(file: "public.pem", status: 65, words: "this is a public key", isPublic: true),
        Wrong(file: "certificate.pem", status: 65, words: "this is a certificate", isPublic: true),
        Wrong(file: "rsa.pem", status: 65, words: "RSA"),
        Wrong(file: "p384.pem", status: 65, words: "P-384"),
        Wrong(file: "encrypted.pem", status: 65, words: "passphrase"),
        Wrong(file: "open.pem", status: 77, words: "chmod 600"),
        Wrong(file: "group.pem", status: 77, words: "chmod 600"),
    ]

    private func bench() throws -> Bench {
        let bench = try Bench()
        let key = bench.key
        let certificate = try X509Certificate.issue(
            subject: [("CN", "Club")], publicKey: key.publicKey, issuer: nil, issuerKey: key,
            notBefore: Date(timeIntervalSinceNow: -60), notAfter: Date(timeIntervalSinceNow: 3_600))
        let pem = key.pkcs8PEM().withUnsafeBytes { Array($0) }
        try bench.write("public.pem", Array(key.publicKey.pem().utf8), mode: 0o600)
        try bench.write("certificate.pem", Array(certificate.pem().utf8), mode: 0o600)
        try bench.write("rsa.pem", Array(WrongKeys.rsa.utf8), mode: 0o600)
        try bench.write("p384.pem", Array(WrongKeys.p384.utf8), mode: 0o600)
        try bench.write("encrypted.pem", Array(WrongKeys.encrypted.utf8), mode: 0o600)
        try bench.write("group.pem", pem, mode: 0o640)
        return bench
    }

    @Test(arguments: wrong) func isNamed(_ wrong: Wrong) async throws {
        let bench = try bench()
        for command in Self.commands {
            let line = command.replacing("FILE", with: wrong.file)
            let outcome = await bench.run(line)
            #expect(outcome.status == wrong.status, "\(line): \(outcome.error)")
            #expect(outcome.error.contains(wrong.words), "\(line): \(outcome.error)")
            #expect(outcome.error.contains(wrong.file), "\(line): \(outcome.error)")
            #expect(!outcome.error.contains("PRIVATE KEY"), "\(line)")
            expectComplaint(outcome, line)
            let json = await bench.run(line + " --json")
            #expect(try json.object()["error"] is String, "\(line)")
            #expect(try json.object()["code"] is String, "\(line)")
        }
        let show = await bench.run("key show @\(wrong.file)")
        #expect(show.status == (wrong.isPublic ? 0 : wrong.status), "\(show.error)")
        #expect(show.output.isEmpty != wrong.isPublic)
    }

    @Test func anotherKeyIsSaidBeforeAnyCrypto() async throws {
        let bench = try bench()
        let read = await bench.run(
            "read --pass \(Bench.passID) --key @other.pem --reader emulated:@phone.json --json")
        let entry = try #require((try read.object()["entries"] as? [[String: Any]])?.first)
        #expect(read.status == 0)
        #expect(entry["status"] as? String == "success")
        #expect(entry["message"] is NSNull)
        #expect(entry["customerVASData"] is String)
        #expect((entry["error"] as? String)?.contains("no key") == true)
    }
}
