// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import ISO7816
internal import InAppProvisioning
internal import PassKit
internal import WalletCrypto

/// The card to add: how the back end knows it, and what is known of it here. Never printed.
struct ProvisionedCardChoice: Sendable, Concealed {
    /// The back end's own name of the card.
    var reference: String
    /// What should come out of the sealed card.
    var details: CardDetails?
    /// What the sheet shows.
    var name: String
    var suffix: String?
    var network: PKPaymentNetwork?
}

/// Which card is added.
struct ProvisionedCardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The back end's reference of the card; card-1 when nothing says another.", valueName: "ref"))
    var card: String?

    @Option(
        help: ArgumentHelp(
            "The card that must come, as `countertop issuer` reads it; --card chooses one of several.",
            valueName: "file"))
    var cardFile: String?

    @Option(help: "The card number that must come. Arguments are visible to others: --card-file is not.")
    var pan: String?

    @Option(help: ArgumentHelp("Its last month.", valueName: "mm/yy"))
    var expiration: String?

    @Option(help: "The holder's name.")
    var name: String?

    @Option(help: "The network, such as visa; by the first digits of the number when it is left out.")
    var network: String?

    func validate() throws {
        guard card != nil || cardFile != nil || pan != nil else {
            throw ValidationError("say which card: --card, --card-file or --pan")
        }
        guard cardFile == nil || (pan == nil && expiration == nil) else {
            throw ValidationError("--card-file has number and expiration already")
        }
        guard (pan == nil) == (expiration == nil), pan == nil || name != nil else {
            throw ValidationError("--pan, --expiration and --name go together")
        }
        if let card, card.isEmpty || Self.looksLikeNumber(card) {
            throw ValidationError("--card takes the back end's reference of a card, never its number")
        }
        if let network, ProvisioningWallet.network(named: network) == nil {
            throw ValidationError("--network is visa, mastercard, amex, discover, unionpay, interac or jcb")
        }
    }

    /// Card numbers have 12 to 19 digits (ISO/IEC 7812-1).
    private static func looksLikeNumber(_ text: String) -> Bool {
        let digits = text.filter { !$0.isWhitespace && $0 != "-" }
        return (12...19).contains(digits.count) && digits.allSatisfy(\.isWholeNumber)
            && AccountNumber.isLuhnValid(digits)
    }

    func choice() throws -> ProvisionedCardChoice {
        if let cardFile { return try choice(in: cardFile) }
        let details = try pan.map { pan in
            try CardDetails(
                primaryAccountNumber: pan.filter { !$0.isWhitespace && $0 != "-" }, expiration: expiration ?? "",
                name: name ?? "")
        }
        return choice(card ?? "card-1", details, network)
    }

    private func choice(in path: String) throws -> ProvisionedCardChoice {
        let file: IssuerCardFile
        do { file = try IssuerCardFile(json: try InputFile.read(path, limit: InputFile.keyLimit)) } catch {
            throw ToolError(error).naming(path)
        }
        guard let id = card ?? (file.cards.count == 1 ? file.cards.keys.first : nil) else {
            throw ToolError(
                .usage, "\(path): there are \(file.cards.count) cards", hint: "--card chooses one by its id")
        }
        guard let found = file.cards[id] else {
            throw ToolError(.data, "\(path): there is no card with the id of --card")
        }
        return choice(id, found.details, network ?? found.network)
    }

    private func choice(_ reference: String, _ details: CardDetails?, _ network: String?) -> ProvisionedCardChoice {
        ProvisionedCardChoice(
            reference: reference, details: details, name: name ?? details?.name ?? "CARDHOLDER",
            suffix: details?.suffix,
            network: network.flatMap { ProvisioningWallet.network(named: $0) }
                ?? details.flatMap { ProvisioningWallet.network(ofNumber: $0.primaryAccountNumber) })
    }
}

extension ToolError {
    /// The same with a file's name in front.
    func naming(_ path: String) -> ToolError {
        reason.hasPrefix(path) ? self : ToolError(status, code: code, "\(path): \(reason)", hint: hint)
    }
}
