// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import ProximityReader

/// A composed scenario: what an app asks for, what the cards of its taps answer, what has to come of it.
struct OneTapScenario: Sendable, CustomTestStringConvertible {
    struct Pass: Sendable {
        let merchant: String
        let status: String
        let isSealed: Bool
    }

    struct Payment: Sendable {
        let outcome: String
        let reason: String?
        let kernel: String?
        let cryptogram: String?
        let cid: String?
        let ctq: String?
    }

    let id: String
    let stopsOnPass: Bool
    /// Identifiers whose SHA-256 the scenario has; made-up ones where the identifier is not known.
    let merchants: [String]
    let taps: [[RecordedExchange]]
    let events: [String]?
    let payment: Payment?
    let passes: [Pass]?

    var testDescription: String { id }

    init?(_ json: [String: Any]) {
        guard let id = json["id"] as? String, let rows = json["taps"] as? [[[String: Any]]],
            let expected = json["expected"] as? [String: Any]
        else { return nil }
        let hashes = json["vasMerchants"] as? [String] ?? []
        let identifiers = Dictionary(
            uniqueKeysWithValues: hashes.enumerated().map { index, hash in
                (hash, Self.known[hash] ?? "pass.example.merchant\(index)")
            })
        self.id = id
        stopsOnPass = json["stopOnVASResult"] as? Bool ?? false
        merchants = hashes.compactMap { identifiers[$0] }
        taps = rows.map { row in
            PaymentVectors.exchanges(row).map { exchange in
                var command = Hex.encode(exchange.command)
                for (hash, identifier) in identifiers {
                    command = command.replacing(hash, with: Hex.encode(Digest.sha256(Array(identifier.utf8))))
                }
                return RecordedExchange(command: (try? Hex.decode(command)) ?? [], response: exchange.response)
            }
        }
        events = expected["events"] as? [String]
        payment = (expected["payment"] as? [String: Any]).flatMap(Payment.init)
        passes = (expected["vas"] as? [[String: Any]])?.map { row in
            Pass(
                merchant: identifiers[row["merchant"] as? String ?? ""] ?? "", status: row["status"] as? String ?? "",
                isSealed: row["decryptsWith"] != nil)
        }
    }

    private static let known = Dictionary(
        uniqueKeysWithValues: [
            "pass.com.passkit.pksamples.nfcdemo", "pass.com.springcard.springblue.generic",
            "pass.com.pronto.zebra-wallet-pass.demo", "pass.example.synthetic.vas",
        ].map { (Hex.encode(Digest.sha256(Array($0.utf8))), $0) })
}

extension OneTapScenario.Payment {
    init?(_ json: [String: Any]) {
        guard let outcome = json["outcome"] as? String else { return nil }
        self.outcome = outcome
        (reason, kernel) = (json["reason"] as? String, json["kernel"] as? String)
        (cryptogram, cid, ctq) = (json["arqc"] as? String, json["cid"] as? String, json["ctq"] as? String)
    }
}
