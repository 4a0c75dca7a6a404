// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ArgumentParser
internal import EMVContactless
internal import EmulatedWallet
internal import Foundation
internal import ISO7816
internal import ProximityReader
internal import WalletCrypto

/// What is paid, and whom the read is sealed for.
struct PaymentOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The amount, such as 12.50; fewer than ten digits.", valueName: "amount"))
    var amount: String?

    @Option(help: ArgumentHelp("The currency: three letters of ISO 4217.", valueName: "code"))
    var currency: String?

    @Flag(help: "A refund instead of a purchase.")
    var refund = false

    @Option(
        help: ArgumentHelp(
            "Read without an amount: lookUp, saveCard, openTab or other.", valueName: "reason"))
    var verify: VerificationReason?

    @Option(
        help: ArgumentHelp(
            "An application to take before the card's own order, in hex. Repeat it for up to four.", valueName: "aid"))
    var preferredAid: [String] = []

    @Flag(help: "A pass ends the read: no payment after it.")
    var stopOnPass = false

    @Flag(help: "A card that is declined or unreadable gives a result, not an error (includeErrorInReadResult).")
    var includeError = false

    @Option(
        help: ArgumentHelp(
            "The payment provider's public key, to which the read is sealed; else COUNTERTOP_PSP_KEY.",
            valueName: "file"))
    var pspKey: String?

    @Option(
        help: ArgumentHelp(
            "Test keys of certification authorities; else COUNTERTOP_CA_KEYS. `emulated` stands for those of emulated cards.",
            valueName: "file"))
    var caKeys: String?

    @Option(help: ArgumentHelp("The merchant that the read is bound to.", valueName: "id"))
    var merchant: String?

    @Option(help: ArgumentHelp("The reader that the read is bound to.", valueName: "id"))
    var readerID: String?

    @Option(help: ArgumentHelp("The counter's country, ISO 3166 number; else COUNTERTOP_COUNTRY.", valueName: "number"))
    var country: UInt16?

    /// Whether none was given.
    var isUntouched: Bool {
        let texts = [amount, currency, pspKey, caKeys, merchant, readerID]
        return texts.allSatisfy { $0 == nil } && verify == nil && country == nil && preferredAid.isEmpty
            && !refund && !stopOnPass && !includeError
    }

    /// What neither a sheet nor a reader would take.
    func check(passes: [PassSpecification]) throws(ValidationError) {
        guard verify == nil || amount == nil && !refund && passes.isEmpty else {
            throw ValidationError("--verify goes with neither --amount nor --refund nor --pass")
        }
        guard !stopOnPass || !passes.isEmpty else { throw ValidationError("--stop-on-pass goes with --pass") }
        guard country.map({ (1...999).contains($0) }) ?? true else {
            throw ValidationError("--country takes an ISO 3166 number such as 276")
        }
    }
}

/// Apple's reasons by their names.
enum VerificationReason: String, ExpressibleByArgument, CaseIterable {
    case lookUp, saveCard, openTab, other

    var reason: PaymentCardVerificationRequest.Reason {
        switch self {
        case .lookUp: .lookUp
        case .saveCard: .saveCard
        case .openTab: .openTab
        case .other: .other
        }
    }
}

/// The request as an app would make it. What is wrong with amount, currency or applications, Apple's API says.
extension PaymentOptions {
    func request(passes: VASRequest?, defaultAmount: String? = nil) throws -> PaymentJob.Request {
        let currency = currency ?? (defaultAmount == nil ? nil : "EUR")
        guard let currency else { throw ToolError(.usage, "--currency is missing", hint: "such as --currency EUR") }
        if let verify { return .verification(.init(currencyCode: currency, for: verify.reason)) }
        guard let text = amount ?? defaultAmount else {
            throw ToolError(.usage, "--amount is missing", hint: "such as --amount 12.50, or --verify lookUp")
        }
        var request = PaymentCardTransactionRequest(
            amount: try Self.decimal(text), currencyCode: currency, for: refund ? .refund : .purchase)
        request.preferredAIDList = try preferredAid.map { text in
            do throws(Hex.Failure) { return Data(try Hex.decode(text)) } catch {
                throw ToolError(.usage, code: "invalidHex", "--preferred-aid \(text): \(error.description)")
            }
        }
        guard let passes else { return .transaction(request) }
        return .both(request, passes, stopOnVASResult: stopOnPass)
    }

    /// Digits with a point between, whatever the language of the system.
    private static func decimal(_ text: String) throws(ToolError) -> Decimal {
        guard text.wholeMatch(of: /-?[0-9]{1,30}(\.[0-9]{1,30})?/) != nil,
            let amount = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        else {
            throw ToolError(.usage, "\"\(text)\" is no amount", hint: "write digits with a point, such as 12.50")
        }
        return amount
    }

    /// How cards are read, from the options and the environment. Says what a provider's key means.
    func setup(_ talk: Talk) throws -> PaymentSetup {
        let environment = talk.console.environment
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        var setup = PaymentSetup()
        if let file = pspKey ?? variable("COUNTERTOP_PSP_KEY") {
            let provider = ProviderKey(try KeyFile.publicKey(file))
            if provider.isPublished {
                talk.say("\(file): the private half of this key is published: anybody can open what is sealed to it")
            }
            setup.provider = provider
        } else {
            talk.say("without --psp-key the read is sealed to a key that nobody has: it cannot be opened")
        }
        if let file = caKeys ?? variable("COUNTERTOP_CA_KEYS") { setup.authorityKeys = try Self.authorityKeys(file) }
        (setup.merchantID, setup.readerID) = (merchant, readerID)
        if let country { setup.country = country }
        if country == nil, let text = variable("COUNTERTOP_COUNTRY") {
            guard let number = UInt16(text), (1...999).contains(number) else {
                throw ToolError(.configuration, "COUNTERTOP_COUNTRY: \"\(text)\" is no ISO 3166 number such as 276")
            }
            setup.country = number
        }
        return setup
    }

    private static func authorityKeys(_ file: String) throws -> AuthorityKeys {
        guard file != "emulated" else { return try AuthorityKeys(json: Data(EmulatedCards.authorityKeysJSON.utf8)) }
        let bytes = try InputFile.read(file, limit: InputFile.keyLimit)
        do { return try AuthorityKeys(json: Data(bytes)) } catch {
            throw ToolError(.data, code: error.code.rawValue, "\(file): \(error.reason)")
        }
    }
}
