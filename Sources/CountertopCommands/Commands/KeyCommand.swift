// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import WalletCrypto

/// `key`
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Make and show the NFC keys of passes.",
        subcommands: [KeyNew.self, KeyShow.self])
}

/// `key new`
struct KeyNew: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a P-256 key for a pass.",
        discussion: """
            The private half goes into a file that only you can read; an existing file is never overwritten. The public
            half is printed: encryptionPublicKey is what the nfc dictionary of pass.json takes.

            EXAMPLES:
              countertop key new
              countertop key new --output club.pem --json
            """.flowing)

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Where the private key goes.", valueName: "file"))
    var destination: String = "nfc-private.pem"

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let key = try P256PrivateKey.generate()
        try KeyFile.write(key.pkcs8PEM(), to: destination)
        let description = KeyDescription(key: key.publicKey, file: destination)
        talk.say("the private key is in \(destination)")
        try talk.result(json: description.json, text: description.summary)
    }
}

/// `key show`
struct KeyShow: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the public half of a key, in every form.",
        discussion: """
            FILE is a private key, a public key, a certificate, or the text of encryptionPublicKey. Nothing of a
            private key is shown.

            EXAMPLES:
              countertop key show club.pem
              countertop key show club.pem --json
            """.flowing)

    @Argument(help: "The key's file.") var file: String
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let description = KeyDescription(key: try KeyFile.publicKey(file), file: file)
        try talk.result(json: description.json, text: description.text)
    }
}
