// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import EmulatedWallet
import Foundation
import ISO7816
import WalletCrypto

/// Whole taps in process, the phone's half included: select, read, decrypt. Speed, and memory after many.
func benchmarkTaps(count: Int) async throws -> [Row] {
    let passType = "pass.com.example.club"
    let key = try P256PrivateKey.generate()
    var ring = VASKeyRing()
    ring.add(key, passTypeIdentifier: passType)
    let pass = PhoneDefinition.Pass(
        passTypeIdentifier: passType, nfc: .init(message: "MEMBER-1234", encryptionPublicKey: key.publicKey))
    let reader = EmulatedReader(EmulatedPhone(PhoneDefinition(passes: [pass])))
    let counter = TapLoop(reader: reader, ring: ring, merchant: VASMerchant(passTypeIdentifier: passType))

    let warmUp = min(10_000, count / 10)
    try await counter.run(warmUp)
    let before = residentKiB()
    let start = ContinuousClock.now
    try await counter.run(count - warmUp)
    let seconds = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
    let growth = residentKiB() - before
    return [
        Row(
            name: "taps per second in process", figure: String(format: "%.0f", Double(count - warmUp) / seconds),
            target: "", holds: nil),
        Row(
            name: "memory growth over \(count) taps", figure: "\(growth) KiB after the first \(warmUp)",
            target: "less than 1024 KiB", holds: growth < 1024),
    ]
}

private struct TapLoop: Sendable {
    var reader: EmulatedReader
    var ring: VASKeyRing
    var merchant: VASMerchant

    func run(_ count: Int) async throws {
        let terminal = VASTerminal()
        for _ in 0..<count {
            _ = try await reader.waitForCard(timeout: .seconds(5))
            let (ring, merchant) = (ring, merchant)
            try await reader.withCard(ending: .unpower) { channel in
                let entry = try Self.entry(try terminal.read([merchant], over: AnyChannel(channel)))
                let opened = ring.decrypt(entry, passTypeIdentifier: merchant.passTypeIdentifier)
                guard case .success(let payload) = opened, payload.messageText == "MEMBER-1234" else {
                    throw BenchmarkFailure("a tap did not give the message")
                }
            }
        }
    }

    private static func entry(_ result: VASTapResult) throws -> [UInt8] {
        guard let cryptogram = result.entries.first?.cryptogram else { throw BenchmarkFailure("a tap gave no pass") }
        return cryptogram
    }
}

/// Opens the existential that the scope hands out.
private struct AnyChannel: CardChannel {
    let base: any CardChannel
    init(_ base: any CardChannel) { self.base = base }
    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] { try base.transmit(command) }
}
