// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import AppleVAS
import CardTesting
import EmulatedWallet
import Foundation
import ISO7816
import WalletCrypto

/// A case of `apdu-traces/`: a phone and what is asked of it. The generator records it.
struct SyntheticCase: Sendable {
    let name: String
    let what: String
    var merchants = [club]
    var mode = VASMode.vasOnly
    var taps = 1
    var change: @Sendable (inout PhoneDefinition) -> Void = { _ in }

    static let club = VASMerchant(passTypeIdentifier: "pass.com.example.club")
    static let cafe = VASMerchant(passTypeIdentifier: "pass.com.example.cafe")
    static let url = "https://example.com/join"

    static func key() throws -> P256PrivateKey {
        let path = TraceFiles.folder + "/published-test-key.pem"
        return try P256PrivateKey(reading: Array(try Data(contentsOf: URL(filePath: path))))
    }

    static func ring() throws -> VASKeyRing {
        var ring = VASKeyRing()
        ring.add(try key())
        return ring
    }

    func phone() throws -> EmulatedPhone {
        let key = try Self.key().publicKey
        var definition = PhoneDefinition(passes: [
            .init(
                passTypeIdentifier: "pass.com.example.club",
                nfc: .init(message: "MEMBER-1234", encryptionPublicKey: key)),
            .init(passTypeIdentifier: "pass.com.example.cafe", nfc: .init(message: "CUP-7", encryptionPublicKey: key)),
        ])
        change(&definition)
        let seed = name.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
        return EmulatedPhone(
            definition, clock: { Date(timeIntervalSince1970: 1_790_000_000) }, random: SeededRandom.source(seed: seed))
    }

    private static func message(_ text: String) -> @Sendable (inout PhoneDefinition) -> Void {
        { $0.passes[0].nfc?.message = text }
    }

    private static func merchant(url: String? = nil, filter: [UInt8]? = nil, urlOnly: Bool = false) -> [VASMerchant] {
        [VASMerchant(passTypeIdentifier: "pass.com.example.club", url: url, filter: filter, urlOnly: urlOnly)]
    }

    static let all = reads + refusals + urls + wallets + transports

    private static let reads = [
        SyntheticCase(name: "read", what: "a pass is read"),
        SyntheticCase(
            name: "read-22-characters", what: "a message of 22 characters", change: message("1234567890123456789012")),
        SyntheticCase(
            name: "read-64-characters", what: "the longest message, 64 characters",
            change: message(String(repeating: "0123456789abcdef", count: 4))),
        SyntheticCase(
            name: "read-accents", what: "a message in UTF-8 beyond ASCII", change: message("Café Ångström ☕")),
        SyntheticCase(
            name: "several-merchants", what: "three merchants in one tap, the second without a pass",
            merchants: [club, VASMerchant(passTypeIdentifier: "pass.com.example.none"), cafe], mode: .vasAndPayment,
            change: { $0.paymentAuthenticated = true }),
        SyntheticCase(
            name: "filter", what: "the request carries the filter 01 00 00 00 00",
            merchants: merchant(filter: [1, 0, 0, 0, 0])),
        SyntheticCase(
            name: "long-form-length", what: "the answer's template has a long-form length, 70 81",
            change: { $0.answer.longFormLength = true }),
        SyntheticCase(
            name: "unknown-tags", what: "the answer holds an object that nobody knows",
            change: { $0.answer.unknownTags = [0xDF, 0x01, 0x02, 0xAB, 0xCD] }),
        SyntheticCase(
            name: "token", what: "the mobile token is not empty and the cryptogram stands first",
            change: { ($0.answer.mobileToken, $0.answer.cryptogramFirst) = ([1, 2, 3], true) }),
    ]

    private static let refusals = [
        SyntheticCase(
            name: "not-found", what: "there is no pass for this merchant",
            merchants: [VASMerchant(passTypeIdentifier: "pass.com.example.none")]),
        SyntheticCase(
            name: "wrong-pass-shown", what: "the pass on screen is another",
            change: { $0.chosenPass = cafe.passTypeIdentifier }),
        SyntheticCase(name: "locked", what: "the phone is locked", change: { $0.locked = true }),
        SyntheticCase(
            name: "locked-then-authenticated", what: "locked at the first tap, authenticated at the second", taps: 2,
            change: { ($0.locked, $0.unlocksAtTap) = (true, 2) }),
        SyntheticCase(
            name: "already-read", what: "the pass was handed out before in this authentication",
            change: { $0.alreadyRead = [club.passTypeIdentifier] }),
        SyntheticCase(
            name: "user-intervention", what: "two passes would do and none is on screen",
            change: { $0.passes.append($0.passes[0]) }),
        SyntheticCase(
            name: "wrong-p1-p2", what: "the phone says that P1 or P2 is wrong",
            change: { $0.statusWords.getVASData = 0x6B00 }),
        SyntheticCase(
            name: "wrong-length", what: "a filter of six bytes", merchants: merchant(filter: [1, 0, 0, 0, 0, 0])),
        SyntheticCase(
            name: "incorrect-data", what: "a filter that begins with 00", merchants: merchant(filter: [0, 0, 0, 0, 0])),
        SyntheticCase(
            name: "unsupported-version", what: "the phone wants another terminal version",
            change: { $0.applicationVersion = [2, 0] }),
    ]

    private static let urls = [
        SyntheticCase(
            name: "url-with-request", what: "no pass, and a sign-up URL in the request",
            merchants: [VASMerchant(passTypeIdentifier: "pass.com.example.none", url: url)], mode: .vasOrPayment),
        SyntheticCase(
            name: "url-only", what: "URL only, answered without a body", merchants: merchant(url: url, urlOnly: true)),
        SyntheticCase(
            name: "url-only-empty-template", what: "URL only, answered with 70 00",
            merchants: merchant(url: url, urlOnly: true), change: { $0.answer.urlOnlyBody = [0x70, 0x00] }),
        SyntheticCase(
            name: "url-only-token", what: "URL only, answered with 70 03 9F2A 00",
            merchants: merchant(url: url, urlOnly: true),
            change: { $0.answer.urlOnlyBody = [0x70, 0x03, 0x9F, 0x2A, 0x00] }),
    ]

    private static let wallets = [
        SyntheticCase(name: "not-a-wallet", what: "a card without OSE.VAS.01", change: { $0.wallet = .none }),
        SyntheticCase(name: "android-pay", what: "Google's wallet answers", change: { $0.wallet = .androidPay }),
        SyntheticCase(name: "samsung", what: "Samsung's wallet answers", change: { $0.wallet = .samsungWallet }),
    ]

    private static let transports = [
        SyntheticCase(
            name: "get-response", what: "the answer comes in parts, 61xx", change: { $0.answer.chunkSize = 40 }),
        SyntheticCase(
            name: "exact-le", what: "the phone wants the exact Le, 6Cxx", change: { $0.answer.wantsExactLe = true }),
        SyntheticCase(
            name: "torn-tap", what: "the phone leaves at the third APDU and the next tap succeeds",
            merchants: [club, cafe], mode: .vasAndPayment, taps: 2,
            change: { ($0.paymentAuthenticated, $0.leavesFieldAt, $0.leavesFieldTaps) = (true, 3, 1) }),
    ]
}
