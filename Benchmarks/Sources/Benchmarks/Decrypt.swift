// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import CBaseline
import Foundation
import WalletCrypto

/// Opening one payload against the bare OpenSSL calls that it needs: the same cryptogram, key and bytes in one run.
func benchmarkDecrypt(rounds: Int, perRound: Int) throws -> Row {
    let passType = "pass.com.example.club"
    let key = try P256PrivateKey.generate()
    let sealed = try seal("MEMBER-1234 and some more", for: key.publicKey, passType: passType)
    var ring = VASKeyRing()
    ring.add(key, passTypeIdentifier: passType)
    let info = Array("\u{0D}id-aes256-GCMApplePay encrypted VAS data".utf8) + Digest.sha256(Array(passType.utf8))
    guard let scalar = scalar(of: key), let baseline = baseline_decryptor_new(scalar) else {
        throw BenchmarkFailure("the C baseline cannot load the key")
    }
    defer { baseline_decryptor_free(baseline) }

    let comparison = try ratio(rounds: rounds) {
        try nanoseconds {
            for _ in 0..<perRound {
                guard case .success = ring.decrypt(sealed, passTypeIdentifier: passType) else {
                    throw BenchmarkFailure("our own decryption failed")
                }
            }
        } / Double(perRound)
    } baseline: {
        var plaintext = [UInt8](repeating: 0, count: sealed.count)
        return try nanoseconds {
            for _ in 0..<perRound {
                guard baseline_decrypt(baseline, sealed, sealed.count, info, info.count, &plaintext) > 4 else {
                    throw BenchmarkFailure("the C baseline's decryption failed")
                }
            }
        } / Double(perRound)
    }
    return comparison.row("decrypt a payload / bare OpenSSL", atMost: 1.3)
}

struct BenchmarkFailure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// The phone's half, here only to have something to open: method 1 of kormax/apple-vas.
private func seal(_ message: String, for key: P256PublicKey, passType: String) throws -> [UInt8] {
    let ephemeral = try P256PrivateKey.generate()
    let info = Array("\u{0D}id-aes256-GCMApplePay encrypted VAS data".utf8) + Digest.sha256(Array(passType.utf8))
    let secret = try ephemeral.sharedSecret(with: key)
    let aesKey = try X963KDF.sha256(sharedSecret: secret, sharedInfo: info, count: 32)
    let seconds = UInt32(Date().timeIntervalSinceReferenceDate)
    let plaintext = withUnsafeBytes(of: seconds.bigEndian, Array.init) + Array(message.utf8)
    let zeros = [UInt8](repeating: 0, count: 16)
    let (ciphertext, tag) = try AESGCM.seal(plaintext, key: aesKey, iv: zeros)
    let keyID: [UInt8] = Array(Digest.sha256(key.x)[..<4])
    return keyID + ephemeral.publicKey.x + ciphertext + tag
}

/// The baseline wants the scalar, which a key never gives out: it stands in the last 32 bytes of SEC1's octet string.
private func scalar(of key: P256PrivateKey) -> [UInt8]? {
    let pem = key.sec1PEM().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
    // RFC 5915: SEQUENCE { INTEGER 1, OCTET STRING (32 bytes) privateKey, ... }: 30 len 02 01 01 04 20 then the scalar.
    guard let der = Data(base64Encoded: base64), der.count > 39 else { return nil }
    return Array(der[7..<39])
}
