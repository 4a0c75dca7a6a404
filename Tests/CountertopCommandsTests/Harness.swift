// SPDX-License-Identifier: Apache-2.0

import CountertopCommands
import Foundation
import Synchronization
import TestSupport
import Testing
import WalletCrypto

/// What one command line did.
struct Outcome {
    let status: Int32
    let output: String
    let error: String

    /// Standard output as a JSON object.
    func object() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }
}

/// A folder with a key, a phone that holds a pass for it, and the tool run in process.
final class Bench: Sendable {
    static let passID = "pass.com.example.club"
    static let message = "MEMBER-1234"
    let folder: String
    let key: P256PrivateKey

    init(passExtra: String = "", phoneExtra: String = "") throws {
        folder = NSTemporaryDirectory() + "countertop-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        key = try P256PrivateKey.generate()
        try write("key.pem", key.pkcs8PEM().withUnsafeBytes { Array($0) }, mode: 0o600)
        key.sec1PEM().withUnsafeBytes { SecretsGate.register(sec1: $0) }
        let other = try P256PrivateKey.generate()
        try write("other.pem", other.pkcs8PEM().withUnsafeBytes { Array($0) }, mode: 0o600)
        try write("open.pem", other.pkcs8PEM().withUnsafeBytes { Array($0) }, mode: 0o644)
        try write("not.pem", Array("no key".utf8), mode: 0o600)
        try write("not.json", Array("{".utf8))
        try write("not.apdu", Array("zz\n".utf8))
        let phone = """
            {"locked":false,\(phoneExtra)"passes":[{"passTypeIdentifier":"\(Self.passID)",\(passExtra)
            "nfc":{"message":"\(Self.message)","encryptionPublicKey":"\(encryptionPublicKey)"}}]}
            """
        try write("phone.json", Array(phone.utf8))
    }

    deinit {
        SecretsGate.sawFiles(of: URL(filePath: folder))
        try? FileManager.default.removeItem(atPath: folder)
    }

    var encryptionPublicKey: String { Data(key.publicKey.subjectPublicKeyInfo()).base64EncodedString() }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o644) throws {
        try #require(
            FileManager.default.createFile(
                atPath: path(name), contents: Data(bytes), attributes: [.posixPermissions: mode]))
    }

    /// Runs a command line; `@` at the start of a word, or behind `:` or `=`, is the folder.
    func run(
        _ line: String, input: String = "", environment: [String: String] = [:]
    ) async -> Outcome {
        let words = line.split(separator: " ").map { word in
            String(word).replacing(/(^|[:=])@/) { "\($0.output.1)\(folder)/" }
        }
        let (output, error) = (Collector(), Collector())
        let console = Console(
            environment: environment, output: { output.add($0) }, error: { error.add($0) },
            input: { Array(input.utf8) })
        let status = await CountertopTool.run(words, console: console)
        SecretsGate.sawTool(words, output: output.text, error: error.text)
        return Outcome(status: status, output: output.text, error: error.text)
    }
}

/// Collects what is written.
final class Collector: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }
    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}

extension Bench {
    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
    }

    /// `read` of the phone, as the one entry it has.
    func readEntry(_ extra: String = "--key @key.pem") async throws -> [String: Any] {
        let outcome = await run("read --pass \(Self.passID) --reader emulated:@phone.json --json \(extra)")
        return try #require((try outcome.object()["entries"] as? [[String: Any]])?.first, "\(outcome.error)")
    }

    /// The encrypted pass data of a tap, as hex.
    func data() async throws -> String {
        let data = try #require(Data(base64Encoded: try await readEntry()["customerVASData"] as? String ?? ""))
        return data.map { String(format: "%02X", $0) }.joined()
    }
}
