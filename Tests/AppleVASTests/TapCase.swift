// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import ISO7816
import Testing
import WalletCrypto

@testable import AppleVAS

/// A phone, what is asked of it, and what must come of it, whatever channel lies between.
struct TapCase: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
        case notAWallet(StatusWord)
        case otherWallet(String?)
        case applePay([VASStatus])
    }

    let name: String
    let phone: PhoneDefinition
    var merchants = [VASMerchant(passTypeIdentifier: Sample.passType)]
    var mode = VASMode.vasOnly
    let outcome: Outcome
    /// What the messages of the entries decrypt to; nil where there is none.
    var messages: [String?] = []
    var method = 1

    var testDescription: String { name }

    /// The body that runs on every channel.
    func run(over channel: some CardChannel, ring: VASKeyRing) throws {
        let result = try VASTerminal(mode: mode, nonce: { [1, 2, 3, 4] }).read(merchants, over: channel)
        switch (result, outcome) {
        case (.notAWallet(let word), .notAWallet(let expected)): #expect(word == expected)
        case (.otherWallet(let selection), .otherWallet(let expected)):
            #expect(selection.wallet?.rawValue == expected)
        case (.applePay(_, let entries), .applePay(let statuses)):
            #expect(entries.map(\.status) == statuses)
            #expect(entries.map(\.merchant) == merchants)
            #expect(entries.flatMap(\.oddities).isEmpty)
            try check(entries, ring)
        default: Issue.record("\(name): \(result) is not \(outcome)")
        }
    }

    private func check(_ entries: [VASEntry], _ ring: VASKeyRing) throws {
        for (entry, message) in zip(entries, messages) {
            guard let message else {
                #expect(entry.cryptogram == nil)
                continue
            }
            let cryptogram = try #require(entry.cryptogram)
            let payload = try ring.decrypt(
                cryptogram, passTypeIdentifier: entry.merchant.passTypeIdentifier
            ).get()
            #expect(payload.messageText == message)
            #expect(payload.method == method)
        }
    }
}

extension TapCase {
    /// The key to all passes here.
    static func key() throws -> P256PrivateKey { try Sample.key(42) }

    static func ring() throws -> VASKeyRing {
        var ring = VASKeyRing()
        ring.add(try key())
        return ring
    }

    private static func phone(_ change: (inout PhoneDefinition) -> Void = { _ in }) -> PhoneDefinition {
        guard let key = try? key().publicKey else { return PhoneDefinition() }
        let passes = [(Sample.passType, "M-0042"), (Sample.other, "C-7")].map { identifier, message in
            PhoneDefinition.Pass(
                passTypeIdentifier: identifier, nfc: .init(message: message, encryptionPublicKey: key))
        }
        var phone = PhoneDefinition(passes: passes)
        change(&phone)
        return phone
    }

    private static func club(filter: [UInt8]? = nil, url: String? = nil, urlOnly: Bool = false) -> [VASMerchant] {
        [VASMerchant(passTypeIdentifier: Sample.passType, url: url, filter: filter, urlOnly: urlOnly)]
    }

    private static func shape(_ name: String, _ change: (inout AnswerShape) -> Void) -> TapCase {
        TapCase(
            name: "answer shape: \(name)", phone: phone { change(&$0.answer) }, outcome: .applePay([.success]),
            messages: ["M-0042"])
    }

    /// Each reaction of sheet and phone that a reader meets.
    static let all: [TapCase] = passes + refusals + shapes + wallets

    static let two = [Sample.passType, "pass.com.example.none", Sample.other].map {
        VASMerchant(passTypeIdentifier: $0, url: "https://example.com/join")
    }

    private static let passes = [
        TapCase(name: "one pass", phone: phone(), outcome: .applePay([.success]), messages: ["M-0042"]),
        TapCase(
            name: "three merchants, one missing", phone: phone { $0.paymentAuthenticated = true }, merchants: two,
            mode: .vasAndPayment, outcome: .applePay([.success, .noPass, .success]),
            messages: ["M-0042", nil, "C-7"]),
        TapCase(
            name: "one pass per tap", phone: phone { $0.onePassPerTap = true }, merchants: two,
            outcome: .applePay([.success, .noPass, .noPass]), messages: ["M-0042", nil, nil]),
        TapCase(
            name: "method 2", phone: phone { $0.cryptoMethod = .method2 }, outcome: .applePay([.success]),
            messages: ["M-0042"], method: 2),
        TapCase(
            name: "URL only", phone: phone(), merchants: club(url: "https://example.com", urlOnly: true),
            outcome: .applePay([.success]), messages: [nil]),
        TapCase(
            name: "URL with the request", phone: phone(), merchants: club(url: "https://example.com"),
            mode: .vasOrPayment, outcome: .applePay([.success]), messages: ["M-0042"]),
    ]

    private static let refusals = [
        TapCase(name: "locked", phone: phone { $0.locked = true }, outcome: .applePay([.notActivated])),
        TapCase(
            name: "already read", phone: phone { $0.alreadyRead = [Sample.passType] },
            outcome: .applePay([.notActivated])),
        TapCase(
            name: "two candidates", phone: phone { $0.passes += $0.passes }, outcome: .applePay([.userActionNeeded])),
        TapCase(
            name: "another pass on screen", phone: phone { $0.chosenPass = Sample.other },
            outcome: .applePay([.noPass])),
        TapCase(
            name: "filter longer than five bytes", phone: phone(), merchants: club(filter: [1, 0, 0, 0, 0, 0]),
            outcome: .applePay([.wrongLength])),
        TapCase(
            name: "filter that begins with 02", phone: phone(), merchants: club(filter: [2, 0, 0, 0, 0]),
            outcome: .applePay([.noPass])),
        TapCase(
            name: "filter that begins with 00", phone: phone(), merchants: club(filter: [0, 0, 0, 0, 0]),
            outcome: .applePay([.incorrectData])),
        TapCase(
            name: "filter that begins with 01", phone: phone(), merchants: club(filter: [1, 0, 0, 0, 0]),
            outcome: .applePay([.success]), messages: ["M-0042"]),
        TapCase(
            name: "another application version", phone: phone { $0.applicationVersion = [2, 0] },
            outcome: .applePay([.unsupportedVersion])),
        TapCase(
            name: "wrong parameters", phone: phone { $0.statusWords.getVASData = 0x6B00 },
            outcome: .applePay([.wrongParameters])),
        TapCase(
            name: "a word nobody knows", phone: phone { $0.statusWords.getVASData = 0x6FAB },
            outcome: .applePay([VASStatus(0x6FAB)])),
    ]

    private static let shapes = [
        shape("token present") { $0.mobileToken = [0xAB, 0xCD] },
        shape("no token") { $0.omitsMobileToken = true },
        shape("cryptogram first") { $0.cryptogramFirst = true },
        shape("long length") { $0.longFormLength = true },
        shape("unknown objects") { $0.unknownTags = [0xDF, 0x01, 0x02, 0xAB, 0xCD] },
        shape("in parts, 61xx") { $0.chunkSize = 17 },
        shape("exact Le, 6Cxx") { $0.wantsExactLe = true },
        TapCase(
            name: "URL only with a body", phone: phone { $0.answer.urlOnlyBody = [0x70, 0x03, 0x9F, 0x2A, 0x00] },
            merchants: club(url: "https://example.com", urlOnly: true), outcome: .applePay([.success])),
    ]

    private static let wallets = [
        TapCase(name: "Google", phone: phone { $0.wallet = .androidPay }, outcome: .otherWallet("AndroidPay")),
        TapCase(name: "Samsung", phone: phone { $0.wallet = .samsungWallet }, outcome: .otherWallet("SamsungWallet")),
        TapCase(name: "no wallet", phone: phone { $0.wallet = .none }, outcome: .notAWallet(0x6A82)),
        TapCase(name: "nonsense", phone: phone { $0.wallet = .nonsense }, outcome: .otherWallet(nil)),
        TapCase(
            name: "refuses SELECT", phone: phone { $0.statusWords.select = 0x6985 }, outcome: .notAWallet(0x6985)),
    ]
}
