// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import AppleVAS
import CardTesting
import ISO7816
import WalletCrypto

/// The header lines that say what is asked and what must come, as `apdu-traces/README.md` defines them.
enum Expectation {
    /// The `# EXPECT:` lines of one tap, from what a terminal made of it.
    static func lines(tap: Int, of outcome: Result<VASTapResult, VASError>, ring: VASKeyRing) -> [String] {
        switch outcome {
        case .success(.notAWallet(let status)): ["\(tap) not-a-wallet \(status)"]
        case .success(.otherWallet(let selection)): ["\(tap) wallet \(selection.wallet?.rawValue ?? "unknown")"]
        case .success(.applePay(_, let entries)): entries.map { line(tap, $0, ring) }
        case .success(.paymentOnly): ["\(tap) payment-only"]
        case .failure(let error): error.entries.map { line(tap, $0, ring) } + ["\(tap) torn"]
        }
    }

    private static func line(_ tap: Int, _ entry: VASEntry, _ ring: VASKeyRing) -> String {
        let identifier = entry.merchant.passTypeIdentifier
        guard let cryptogram = entry.cryptogram else { return "\(tap) \(identifier) \(entry.statusWord)" }
        switch ring.decrypt(cryptogram, passTypeIdentifier: identifier) {
        case .success(let payload):
            return "\(tap) \(identifier) \(entry.statusWord) message=\(payload.messageText ?? "?")"
        case .failure: return "\(tap) \(identifier) \(entry.statusWord) sealed"
        }
    }

    /// `pass.com.example.club url=… filter=… urlonly`.
    static func request(_ merchant: VASMerchant) -> String {
        var words = [merchant.passTypeIdentifier]
        if let url = merchant.url { words.append("url=\(url)") }
        if let filter = merchant.filter { words.append("filter=\(Hex.encode(filter))") }
        if merchant.urlOnly { words.append("urlonly") }
        return words.joined(separator: " ")
    }

    static func merchant(_ request: String) throws -> VASMerchant {
        let words = request.split(separator: " ")
        func value(_ key: String) -> Substring? {
            words.first { $0.hasPrefix(key + "=") }.map { $0.dropFirst(key.count + 1) }
        }
        return VASMerchant(
            passTypeIdentifier: String(words.first ?? ""), url: value("url").map(String.init),
            filter: try value("filter").map { try Hex.decode($0) }, urlOnly: words.contains("urlonly"))
    }

    /// Reads every tap that comes, at most `taps`, and gives the lines that describe them.
    static func observe(
        _ reader: any CardReader, taps: Int, merchants: [VASMerchant], mode: VASMode, ring: VASKeyRing
    ) async throws -> [String] {
        var lines: [String] = []
        for tap in 1...taps {
            _ = try await reader.waitForCard(timeout: .seconds(5))
            let outcome = try await reader.withCard(ending: .unpower) { channel in
                do throws(VASError) {
                    let terminal = VASTerminal(mode: mode, nonce: { [1, 2, 3, 4] })
                    return Result<VASTapResult, VASError>.success(try terminal.read(merchants, over: Erased(channel)))
                } catch {
                    return .failure(error)
                }
            }
            lines += Self.lines(tap: tap, of: outcome, ring: ring)
            _ = try await reader.waitForRemoval(timeout: .seconds(5))
        }
        return lines
    }

    private struct Erased: CardChannel {
        let base: any CardChannel
        init(_ base: any CardChannel) { self.base = base }
        func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] { try base.transmit(command) }
    }
}
