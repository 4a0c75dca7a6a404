// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// `decode`
struct Decode: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Take an APDU or TLV data apart, with names and meanings.",
        discussion: """
            HEX is a command, an answer with its status word, or TLV data; `-` reads it from standard input. What it
            is, is seen from its bytes; --as says it where that goes wrong.

            EXAMPLES:
              countertop decode 6F1D50084170706C65506179…9000
              countertop decode 80CA010136… --json
              countertop decode 6A83
            """)

    @Argument(help: ArgumentHelp("The bytes in hex, or `-`.", valueName: "hex")) var hex: [String]

    @Option(name: .customLong("as"), help: "What the bytes are: auto, command, response or tlv.")
    var kind = Decoded.Kind.auto

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let decoded = try Decoded(try HexInput.bytes(hex.joined(), talk.console), as: kind)
        try talk.result(json: decoded.json, text: decoded.text)
    }
}

extension Decoded.Kind: ExpressibleByArgument {}
