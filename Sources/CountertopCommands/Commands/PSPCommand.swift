// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import EMVContactless
internal import WalletCrypto

/// `psp`
struct PSPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "psp", abstract: "Play the payment provider: make its key, open what a counter sealed.",
        subcommands: [PSPOpen.self, PSPKey.self])
}

/// `psp open`
struct PSPOpen: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open the paymentCardData of a read.",
        discussion: """
            BASE64 is paymentCardData as `countertop pay --json` prints it, or `-` for standard input. The envelope is
            countertop's own (a JWE with EMV data inside): what an iPhone hands out has another, unpublished form.

            Account number, tracks and names stay hidden, unless --test-cards-only is given and the card is a published
            test card. Exit status 1 when it does not open with this key.

            EXAMPLES:
              countertop psp open --key psp-private.pem ZXlKaGJH…
              countertop pay --amount 5 --currency EUR --psp-key psp-public.pem --json | jq -r .payment.paymentCardData |
                countertop psp open --key psp-private.pem --json -
            """.flowing)

    @Option(name: .shortAndLong, help: ArgumentHelp("The provider's private key.", valueName: "file"))
    var key: String

    @OptionGroup var testCards: TestCardsOnlyOption
    @OptionGroup var output: OutputOptions

    @Argument(help: ArgumentHelp("The sealed read, or `-`.", valueName: "base64"))
    var sealed: String

    func perform(_ talk: Talk) async throws {
        let privateKey = try KeyFile.privateKey(key)
        let text = sealed == "-" ? String(decoding: try talk.console.readInput(), as: UTF8.self) : sealed
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw ToolError(.data, code: "invalidMessage", "there is nothing to open")
        }
        let opened = try ProviderSide.open(text, with: privateKey)
        let view = OpenedReadView(opened, try testCards.mask(for: opened.objects))
        try talk.result(json: view.json, text: view.text)
    }
}

/// `psp key`
struct PSPKey: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Make a provider's key, in two files.",
        discussion: """
            The private half opens what `countertop pay` seals and belongs to the provider; the counter gets the public
            half. Existing files are never overwritten. With OpenSSL the same is

              openssl ecparam -name prime256v1 -genkey -noout -out psp-private.pem && chmod 600 psp-private.pem
              openssl ec -in psp-private.pem -pubout -out psp-public.pem

            EXAMPLES:
              countertop psp key
              countertop psp key --private shop.pem --public shop-public.pem --json
            """.flowing)

    @Option(name: .customLong("private"), help: ArgumentHelp("Where the private half goes.", valueName: "file"))
    var privateFile = "psp-private.pem"

    @Option(name: .customLong("public"), help: ArgumentHelp("Where the public half goes.", valueName: "file"))
    var publicFile = "psp-public.pem"

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        guard !publicFile.isEmpty, privateFile != publicFile else {
            throw ToolError(.usage, "--private and --public need two file names")
        }
        do { try OutputFile.check(publicFile, overwriting: false) } catch {
            throw ToolError(
                .refused, code: "fileExists", "\(publicFile) exists and is not overwritten",
                hint: "choose other names with --private and --public")
        }
        let key = try P256PrivateKey.generate()
        try KeyFile.write(key.pkcs8PEM(), to: privateFile)
        try OutputFile.write(key.publicKey.pem(), to: publicFile, overwriting: false)
        let id = ProviderKey(key.publicKey).id
        talk.say("the private key is in \(privateFile), the public one in \(publicFile)")
        try talk.result(
            json: .object([
                "private": .string(privateFile), "public": .string(publicFile), "kid": .string(id),
                "pem": .string(key.publicKey.pem()),
            ]),
            text: ["kid: \(id)"])
    }
}
