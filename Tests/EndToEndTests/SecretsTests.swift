// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import EmulatedWallet
import Foundation
import ISO7816
import TestSupport
import Testing

/// Names the secrets of test data for the secrets gate of `make test`.
@Suite struct SecretsTests {
    /// Every PAN and track 2 of the vectors: values of 5A and 57 wherever they stand.
    @Test(.enabled(if: Vectors.folder != nil, "COUNTERTOP_VECTORS is not set"))
    func `the cards of the vectors are secrets`() throws {
        let folder = try #require(Vectors.folder)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var pans: Set<String> = []
        for case let file as URL in files where file.pathExtension == "json" {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            for match in text.matches(of: /5A(?:07|08|09|0A)([0-9]{13,19})F*/) { pans.insert(String(match.1)) }
            for match in text.matches(of: /57(?:0F|10|11|12|13)([0-9]{13,19})(D[0-9]{7,})F?/) {
                pans.insert(String(match.1))
                if AccountNumber.isLuhnValid(String(match.1)) {
                    SecretsGate.register(.track, String(match.1 + match.2))
                }
            }
        }
        // Runs of zeros are Luhn-valid too.
        let valid = pans.filter { AccountNumber.isLuhnValid($0) && Set($0).count > 2 }
        #expect(!valid.isEmpty)
        for pan in valid where !Self.standsIn(pan) { SecretsGate.register(.pan, pan) }
    }

    /// Whether a number is one that redacted traces have in place of others.
    private static func standsIn(_ pan: String) -> Bool { TraceRedactor.standard.redact(text: pan) == pan }

    /// Every network's emulated phone and plastic card.
    @Test func `the emulated cards are secrets`() {
        #expect(EmulatedCards.accountNumbers.count == 2 * PaymentNetwork.allCases.count)
        for pan in EmulatedCards.accountNumbers {
            #expect(!Self.standsIn(pan), "a card has the number that stands in for others")
            SecretsGate.register(.pan, pan)
            // Track 2: the expiry of a card whose file says nothing else, and its service code.
            SecretsGate.register(.track, pan + "D3512201")
        }
    }

    /// The issuer master key of the published cryptogram vectors, which the emulated cards use too.
    @Test func `the test issuer key is a secret`() {
        SecretsGate.register(.key, "0123456789ABCDEFFEDCBA9876543210")
    }
}

private enum Vectors {
    static let folder = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"].map {
        URL(filePath: $0).appending(path: "emv")
    }
}
