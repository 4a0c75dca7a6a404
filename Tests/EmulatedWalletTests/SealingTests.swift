// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import EmulatedWallet

/// Payloads against an independent implementation.
@Suite("Sealing")
struct SealingTests {
    private static let python = ProcessInfo.processInfo.environment["COUNTERTOP_PYTHON"]

    @Test("both methods open with their own key derivation only", arguments: SealingMethod.allCases)
    func methods(method: SealingMethod) throws {
        let club = try Club()
        let clock = FixedClock(Date(timeIntervalSinceReferenceDate: 710_613_358.9))
        let phone = EmulatedPhone(PhoneDefinition([club]) { $0.cryptoMethod = method }, clock: clock.read)
        try phone.tap()
        let cryptogram = try phone.send(club.getVASData).cryptogram()
        let opened = try club.open(cryptogram, method: method)
        #expect(opened.seconds == 710_613_358)
        #expect(opened.message == Array("M-0042".utf8))
        #expect(throws: CryptoError.self) {
            try club.open(cryptogram, method: method == .method1 ? .method2 : .method1)
        }
    }

    @Test("dates before 2001 and after 2137 are the nearest that four bytes hold")
    func dates() {
        let cases: [(TimeInterval, UInt32)] = [
            (-1, 0), (0, 0), (0.9, 0), (4_294_967_295, .max), (4_294_967_296, .max), (1e300, .max), (-.infinity, 0),
            (.nan, 0),
        ]
        for (seconds, expected) in cases {
            #expect(PhoneState.timestamp(Date(timeIntervalSinceReferenceDate: seconds)) == expected)
        }
    }

    @Test("randomness that gives no key, or too little, does not stop the phone")
    func poorRandomness() throws {
        let club = try Club()
        for random: @Sendable (Int) -> [UInt8] in [{ _ in [] }, { [UInt8](repeating: 0xFF, count: $0) }] {
            let phone = EmulatedPhone(PhoneDefinition([club]), random: random)
            #expect(try phone.tap().data.count == 31)
            #expect(try phone.status(club) == 0x9000)
        }
    }

    @Test(
        "300 payloads open with python-cryptography",
        .enabled(if: python != nil, "COUNTERTOP_PYTHON is not set"))
    func againstPython() async throws {
        let python = try #require(Self.python)
        var random = SeededRandom(seed: 42)
        var lines: [String] = []
        for index in 0..<300 {
            let scalar = random.bytes(32)
            let key = try P256PrivateKey(scalar: index == 0 ? [UInt8](repeating: 0, count: 30) + [1, 0x7B] : scalar)
            let merchant = random.bytes(32)
            let message = random.bytes(Int.random(in: 0...64, using: &random))
            let method = index.isMultiple(of: 2) ? SealingMethod.method1 : .method2
            let sealed = try PayloadSealing.seal(
                message, timestamp: UInt32(index), merchantID: merchant, to: key.publicKey, method: method,
                ephemeral: PayloadSealing.ephemeralKey(random: { random.bytes($0) }))
            let secret = index == 0 ? [UInt8](repeating: 0, count: 30) + [1, 0x7B] : scalar
            let fields = [secret, merchant, sealed, Array(message)].map { Hex.encode($0) }
            lines.append("\(method.rawValue) \(index) " + fields.map { $0.isEmpty ? "-" : $0 }.joined(separator: " "))
        }
        try await withFolder { folder in
            let file = folder + "/payloads.txt"
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
            let process = Process()
            process.executableURL = URL(filePath: python)
            process.arguments = ["-c", Self.opener, file]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "a payload did not open in Python")
        }
    }

    private static let opener = #"""
        import hashlib, struct, sys
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        curve, label, count = ec.SECP256R1(), b"ApplePay encrypted VAS data", 0
        for line in open(sys.argv[1]):
            method, seconds, scalar, merchant, sealed, message = line.split()
            merchant, sealed = bytes.fromhex(merchant), bytes.fromhex(sealed)
            message = b"" if message == "-" else bytes.fromhex(message)
            key = ec.derive_private_key(int(scalar, 16), curve)
            x = key.public_key().public_numbers().x.to_bytes(32, "big")
            assert sealed[:4] == hashlib.sha256(x).digest()[:4]
            peer = ec.EllipticCurvePublicKey.from_encoded_point(curve, b"\x02" + sealed[4:36])
            z = key.exchange(ec.ECDH(), peer)
            info = b"\x0did-aes256-GCM" + label + merchant if method == "1" else label
            secret = hashlib.sha256(z + b"\0\0\0\1" + info).digest()
            aad = None if method == "1" else merchant
            plain = AESGCM(secret).decrypt(bytes(16), sealed[36:], aad)
            assert plain == struct.pack(">I", int(seconds)) + message
            count += 1
        assert count == 300
        """#
}
