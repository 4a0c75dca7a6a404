// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import WalletCrypto

extension Hex {
    static func bytes(_ text: String) throws -> [UInt8] { try decode(text) }
    static func string(_ bytes: [UInt8]) -> String { encode(bytes).lowercased() }
    static func string(_ secret: SecretBytes) -> String { secret.withUnsafeBytes { encode($0).lowercased() } }
}

extension SecretBytes {
    var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}

/// Random numbers that repeat (SplitMix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// The same bytes with one to four of them changed, lost, doubled, or the end cut off.
    mutating func mutated(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(bytes[index], at: index)
            default: bytes = Array(bytes[..<index])
            }
        }
        return bytes
    }
}

/// The folder of published vectors beside the checkout.
enum Vectors {
    static let folder = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"].flatMap { $0.isEmpty ? nil : $0 }

    struct Key: Decodable {
        var name, privateScalar, publicUncompressed, publicCompressed, keyId: String
        var encryptionPublicKeyPassJson: String
    }

    struct VAS: Decodable {
        var id, key, ephemeralX, ciphertext, tag, ecdhZ, kdfSharedInfo, aesKey, iv, aad, plaintext: String
    }

    struct File: Decodable {
        struct Synthetic: Decodable {
            var keys: [Key]
            var vasDecrypt: [VAS]
        }
        var keys: [Key]
        var vasDecrypt: [VAS]
        var synthetic: Synthetic

        var allKeys: [Key] { keys + synthetic.keys }
        var allVectors: [VAS] { vasDecrypt + synthetic.vasDecrypt }
    }

    static func load() throws -> File {
        let data = try Data(contentsOf: URL(fileURLWithPath: (folder ?? "") + "/vas.json"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            let words = (path.last?.stringValue ?? "").split(separator: "_")
            let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
            return AnyKey((words.first.map(String.init) ?? "") + rest.joined())
        }
        return try decoder.decode(File.self, from: data)
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// A folder that is gone after the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "walletcrypto-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o600) throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }
}

/// Other programs to check against.
enum Outside {
    static let python = ProcessInfo.processInfo.environment["COUNTERTOP_PYTHON"].flatMap { $0.isEmpty ? nil : $0 }
    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    struct Failed: Error {
        var status: Int32
        var talk: String
    }

    /// Standard output of a program that ends with status 0.
    @discardableResult
    static func run(_ program: String?, _ arguments: [String], in folder: TemporaryFolder) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "/nonexistent")
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let (output, talk) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, talk)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = Array(output.fileHandleForReading.readDataToEndOfFile())
        let said = String(decoding: talk.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus, talk: said) }
        return bytes
    }

    /// What a Python script prints as JSON, given `input` as `data`.
    static func python<I: Encodable, O: Decodable>(_ script: String, _ input: I, as type: O.Type) throws -> O {
        let folder = try TemporaryFolder()
        try folder.write("input.json", Array(try JSONEncoder().encode(input)))
        let whole = "import json\ndata = json.load(open('input.json'))\n" + script
        try folder.write("script.py", Array(whole.utf8))
        return try JSONDecoder().decode(type, from: Data(try run(python, ["script.py"], in: folder)))
    }
}

/// A small authority for tests: a root, an intermediate and a pass signer.
struct TestAuthority {
    static let start = Date(timeIntervalSince1970: 1_750_000_000)
    static let end = start.addingTimeInterval(86400 * 365)
    static let middle = start.addingTimeInterval(86400)

    let root, intermediate, signer: X509Certificate
    let signerKey: P256PrivateKey

    init() throws {
        let (rootKey, middleKey) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        signerKey = try P256PrivateKey.generate()
        root = try .issue(
            subject: [("C", "DE"), ("CN", "Test Root")], publicKey: rootKey.publicKey, issuer: nil,
            issuerKey: rootKey, notBefore: Self.start, notAfter: Self.end, isAuthority: true)
        intermediate = try .issue(
            subject: [("CN", "Test Intermediate")], publicKey: middleKey.publicKey, issuer: root,
            issuerKey: rootKey, notBefore: Self.start, notAfter: Self.end, isAuthority: true)
        signer = try .issue(
            subject: [("UID", "pass.example.test"), ("CN", "Pass Type ID: pass.example.test"), ("OU", "ABCDE12345")],
            publicKey: signerKey.publicKey, issuer: intermediate, issuerKey: middleKey,
            notBefore: Self.start, notAfter: Self.end)
    }
}
