// SPDX-License-Identifier: Apache-2.0

import CardTesting
import EmulatedWallet
import Foundation
import ISO7816
import TestSupport
import Testing
import WalletCrypto

@testable import AppleVAS

@Suite("Against python-cryptography", .enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
struct PythonTests {
    private static let count = 1_000

    @Test("1,000 payloads made with Python open with ours")
    func theirs() throws {
        let items = try PythonPayloads.make(Self.count)
        #expect(items.count == Self.count)
        var ring = VASKeyRing()
        for scalar in Set(items.map(\.scalar)) { ring.add(try P256PrivateKey(scalar: Hex.decode(scalar))) }
        for item in items {
            let cryptogram = try Hex.decode(item.cryptogram)
            let payload = try ring.decrypt(cryptogram, passTypeIdentifier: item.passTypeIdentifier).get()
            #expect(payload.message == (try Hex.decode(item.message)))
            #expect(payload.method == item.method)
            #expect(payload.timestamp.timeIntervalSinceReferenceDate == Double(item.seconds))
        }
        for kind in ["ephemeral", "secret", "key", "zeroKey"] { #expect(items.contains { $0.kind == kind }) }
        #expect(items.contains { $0.kind == "ephemeral" && $0.cryptogram.dropFirst(8).hasPrefix("00") })
    }

    @Test("1,000 payloads sealed by the emulated wallet open with Python")
    func ours() throws {
        let items = try ours(Self.count)
        let opened = try PythonPayloads.open(items)
        #expect(opened.count == items.count)
        for (item, plaintext) in zip(items, opened) {
            #expect(plaintext == String(format: "%08x", item.seconds) + item.message, "\(item.kind)")
        }
    }

    private struct Key {
        let scalar: [UInt8]
        let key: P256PrivateKey
    }

    private func ours(_ count: Int) throws -> [PythonPayloads.Item] {
        var random = SeededRandom(seed: 4)
        let zeroKey = try search(&random) { $0.publicKey.x[0] == 0 }
        let keys = try (0..<8).map { _ in try search(&random) { _ in true } }
        return try (0..<count).map { index in
            let key = index % 10 == 2 ? zeroKey : keys[index % 8]
            let ephemeral = try search(&random) { candidate in
                switch index {
                case 0: candidate.publicKey.x[0] == 0
                case 1: try key.key.sharedSecret(with: candidate.publicKey).withUnsafeBytes { $0[0] } == 0
                default: true
                }
            }
            let (method, seconds) = (index % 4 == 3 ? 2 : 1, UInt32.random(in: 0 ... .max, using: &random))
            let (passType, message) = ("pass.example.swift.\(index % 5)", random.bytes(index % 66))
            let cryptogram = try PayloadSealing.seal(
                message, timestamp: seconds, merchantID: VASMerchant.merchantID(for: passType),
                to: key.key.publicKey, method: method == 1 ? .method1 : .method2, ephemeral: ephemeral.key)
            return PythonPayloads.Item(
                scalar: Hex.encode(key.scalar), passTypeIdentifier: passType, method: method, seconds: seconds,
                message: Hex.encode(message).lowercased(), cryptogram: Hex.encode(cryptogram),
                kind: "payload \(index)")
        }
    }

    /// The first random key for which `isGood` holds.
    private func search(_ random: inout SeededRandom, _ isGood: (P256PrivateKey) throws -> Bool) throws -> Key {
        while true {
            let scalar = [0] + random.bytes(31)
            let key = try P256PrivateKey(scalar: scalar)
            if try isGood(key) { return Key(scalar: scalar, key: key) }
        }
    }
}
