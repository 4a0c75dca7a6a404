// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer

/// `decode`
struct Decode: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Take an APDU, TLV data or one value apart, with names and meanings.",
        discussion: """
            HEX is a command, an answer with its status word, TLV data, or the value of one data object; `-` reads it
            from standard input. What it is, and which kernel's tags it has, is seen from its bytes and said on
            standard error; --as and --context say it where that goes wrong.

            --as takes a frame (auto, command, response, tlv), status, a tag in hex, or one of:
            \(values)
            --context takes \(contexts).

            Account numbers show their first six and last four digits, tracks and names nothing, unless --test-cards-only
            is given and the card is a published test card.

            EXAMPLES:
              countertop decode 6F1D50084170706C655061799F210201009F2404010203049F23040000001E9000
              countertop decode 9F66049F02069F03069F1A0295055F2A029A039C019F3704 --as dol
              countertop decode 0080 --as ctq
              countertop decode 3700 --as 9F6C --context unionpay --json
              countertop decode 6986
            """.flowing)

    private static let values = ValueKind.table.map { "  \($0.name): \($0.help)" }.joined(separator: "\n")
    private static let contexts = DecodingContext.names.map(\.name).joined(separator: ", ")

    @Argument(help: ArgumentHelp("The bytes in hex, or `-`.", valueName: "hex")) var hex: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("What the bytes are: auto, command, response, tlv, dol, ctq, …", valueName: "form"),
        transform: Self.form)
    var form = DecodeForm.frame(.auto)

    @Option(
        help: ArgumentHelp("Whose tags they are: emv, kernel2, visa, vas, …", valueName: "name"),
        transform: Self.context)
    var context: DecodingContext?

    @Flag(help: "The bytes are Base64, as in generalCardData.")
    var base64 = false

    @OptionGroup var testCards: TestCardsOnlyOption
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let bytes = try HexInput.bytes(hex.joined(), talk.console, isBase64: base64)
        var decoded = try Decoded(bytes, form: form, in: context)
        decoded.mask = try testCards.mask(for: decoded.objects)
        try talk.result(json: decoded.json, text: decoded.text)
        if let words = decoded.guessWords { talk.say(words) }
    }
}

extension Decode {
    private static func form(_ word: String) throws -> DecodeForm {
        guard let form = DecodeForm(argument: word) else {
            throw ValidationError("--as \(word) names no form: it takes a tag in hex or a word from the help")
        }
        return form
    }

    private static func context(_ word: String) throws -> DecodingContext {
        guard let context = DecodingContext(name: word) else {
            throw ValidationError("--context \(word) names no context: it takes \(contexts)")
        }
        return context
    }
}
