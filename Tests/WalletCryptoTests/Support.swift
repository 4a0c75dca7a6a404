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
