// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import Foundation
internal import InAppProvisioning
internal import WalletCrypto

/// `issuer`
struct IssuerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuer", abstract: "Play the card's issuer: answer wallets, seal and open envelopes.",
        subcommands: [IssuerServe.self, IssuerSeal.self, IssuerOpen.self])
}

/// `issuer seal`
struct IssuerSeal: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal", abstract: "Seal one card for one device (ECC_V2).",
        discussion: """
            Standard input is the payload, a JSON object of strings: primaryAccountNumber, expiration, name, nonce,
            nonceSignature. It is sealed as it stands. The result is what an app hands to Wallet, in Base64. Each run
            makes a key of its own. The leaf's chain is not checked: that is what `issuer serve` does.

            EXAMPLES:
              countertop issuer seal --leaf leaf.der --json < payload.json
              countertop issuer seal --leaf leaf.pem --activation-data T1RQ < payload.json > trio.json
            """.flowing)

    @Option(help: ArgumentHelp("The device's leaf certificate, DER or PEM.", valueName: "file"))
    var leaf: String

    @Option(help: ArgumentHelp("The network's one-time password; else 32 random bytes.", valueName: "base64"))
    var activationData: String?

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let key = try leafKey(talk)
        var payload = try talk.console.readInput()
        defer { for index in payload.indices { payload[index] = 0 } }
        if let problem = try PayloadView.Card(payload).problem { talk.say("warning: \(problem)") }
        let activation = try activationData.map(Self.decode) ?? RandomBytes.generate(32)
        let trio = ProvisioningTrio(try ECCv2.seal(payload, to: key), activationData: activation)
        let members = [
            ("encryptedPassData", trio.encryptedPassData), ("activationData", trio.activationData),
            ("ephemeralPublicKey", trio.ephemeralPublicKey),
        ].map { name, blob in JSON.Member(name: name, value: .string(Data(blob).base64EncodedString())) }
        let json = JSON.object(members)
        try talk.result(json: json, text: [json.pretty()])
    }

    private static func decode(_ text: String) throws(ToolError) -> [UInt8] {
        guard let data = Data(base64Encoded: text), !data.isEmpty else {
            throw ToolError(.usage, "--activation-data takes Base64 of at least a byte")
        }
        return Array(data)
    }

    private func leafKey(_ talk: Talk) throws -> P256PublicKey {
        let bytes = try InputFile.read(leaf, limit: InputFile.keyLimit)
        let certificate: X509Certificate
        do { certificate = try X509Certificate(reading: bytes) } catch {
            throw ToolError(.data, code: error.code.rawValue, "\(leaf): \(error.reason)", hint: error.hint)
        }
        if !certificate.extensions.contains(where: { $0.identifier == IssuerChain.leafMarker }) {
            talk.say("warning: \(leaf) has not the marker extension \(IssuerChain.leafMarker) of a leaf")
        }
        do { return try P256PublicKey(subjectPublicKeyInfo: certificate.subjectPublicKeyInfo) } catch {
            throw ToolError(
                .data, code: error.code.rawValue, "\(leaf): ECC_V2 needs a leaf with a key on P-256: \(error.reason)")
        }
    }
}

/// `issuer open`
struct IssuerOpen: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open what an issuer sealed, and name the mistake when it does not open.",
        discussion: """
            Standard input is the issuer's answer, encryptedPassData, activationData and ephemeralPublicKey in Base64.
            The key is the private half of the leaf: of a device of your own making, for Apple's never leaves the phone.

            With --json a sound payload is given as it was sealed, for programs: CARD DATA IN CLEAR. Text for people has
            number, name and nonce signature hidden, unless --test-cards-only is given and the card is a published test
            card. Exit status 1 when the envelope does not open, or only with a mistake that is then named.

            EXAMPLES:
              countertop issuer open --leaf-key leaf.pem --json < trio.json
              countertop issuer seal --leaf leaf.der --json < payload.json |
                countertop issuer open --leaf-key leaf.pem --test-cards-only
            """.flowing)

    @Option(help: ArgumentHelp("The leaf's private key.", valueName: "file"))
    var leafKey: String

    @OptionGroup var testCards: TestCardsOnlyOption
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let identity = WalletIdentity(certificates: [], leafKey: try KeyFile.privateKey(leafKey))
        guard let plain = ProcessorProfile.named("plain") else { return }
        let answer = try plain.decodeAnswer(try talk.console.readInput())
        let opening = EnvelopeDiagnosis.open(answer.trio, for: identity)
        guard let plaintext = opening.plaintext else {
            if case .closed(let error) = opening { throw ToolError(error) }
            return
        }
        var bytes = plaintext.withUnsafeBytes { Array($0) }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        let card = try PayloadView.Card(bytes)
        let shown = card.json(isClear: try testCards.shows(pan: card.accountNumber))
        let problems = answer.faults + opening.mistakes.map(\.text) + [card.problem].compactMap { $0 }
        guard !problems.isEmpty else { return try talk.result(json: card.whole, text: card.lines(shown)) }
        try report(problems, opening, shown, card, talk)
    }

    private func report(
        _ problems: [String], _ opening: EnvelopeOpening, _ shown: JSON, _ card: PayloadView.Card, _ talk: Talk
    ) throws {
        let code = opening.diagnosis ?? "invalidPayload"
        let mistakes = opening.mistakes.map { JSON.object(["id": .string($0.id), "text": .string($0.text)]) }
        try talk.result(
            json: .object([
                "error": .string(problems.joined(separator: "; ")), "code": .string(code),
                "diagnosis": opening.diagnosis.map { .string($0) } ?? .null, "mistakes": .array(mistakes),
                "payload": shown,
            ]),
            text: card.lines(shown) + opening.mistakes.map { "mistake: \($0.id): \($0.text)" })
        throw talk.spoken(ToolError(.checkFailed, code: code, problems.joined(separator: "; ")))
    }
}
