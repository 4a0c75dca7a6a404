// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ArgumentParser
internal import CounterServer
internal import EMVContactless
internal import Foundation

/// `trace import`
struct TraceImportCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Turn what another tool recorded into a trace.",
        discussion: """
            Taken are the logs of pcscd --apdu, pcsc-spy, scriptor, opensc-tool -s, pyscard and Proxmark3 (trace list),
            and JSON traces; which of them it is, is seen from the text. Card data is replaced by that of a test card,
            so that the trace still replays; with --test-cards-only the data of published test cards stays, and any
            other card is refused (status 77).

            EXAMPLES:
              countertop trace import pcscd.log -o tap.apdu
              countertop trace import hf-14a-list.txt | less
              countertop trace import tap.json -o tap.apdu --force
            """.flowing)

    @Argument(help: ArgumentHelp("The log or JSON file.", valueName: "file")) var file: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Where the trace goes; standard output otherwise.", valueName: "file"))
    var destination: String?

    @Flag(help: "Overwrite the file if it exists.")
    var force = false

    @OptionGroup var testCards: TestCardsOnlyOption
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        if let destination { try OutputFile.check(destination, overwriting: force) }
        let redactor: TraceRedactor = testCards.testCardsOnly ? .allowingTestCards : .standard
        let imported = try InputFile.anyTrace(file, redactor: nil)
        if testCards.testCardsOnly, let refusal = redactor.refusals(in: imported.trace).first {
            throw ToolError(
                .refused, code: "notATestCard", "\(file): \(refusal) is not a published test card",
                hint: "leave --test-cards-only out; card data is then replaced")
        }
        let trace = redactor.redact(imported.trace)
        talk.say("read as \(imported.format): \(trace.taps.count) taps, \(trace.exchanges.count) exchanges")
        if let destination {
            try OutputFile.write(trace.text(), to: destination, overwriting: force)
            talk.say("the trace is in \(destination)")
            if talk.isJSON {
                try talk.result(
                    json: .object([
                        "format": .string(imported.format), "taps": .number(trace.taps.count),
                        "exchanges": .number(trace.exchanges.count), "file": .string(destination),
                    ]), text: [])
            }
            return
        }
        try talk.result(
            json: TraceView(trace: trace).json,
            text: trace.text().split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) })
    }
}

/// `trace export`
struct TraceExport: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a trace as a pcap file for Wireshark and tshark.",
        discussion: """
            The file has link type 264 (ISO 14443). To see the APDUs, tell Wireshark what is inside the blocks:
            tshark -r tap.pcap -d iso14443.subdissector,iso7816. Card data is replaced by that of a test card.

            EXAMPLES:
              countertop trace export tap.apdu --pcap tap.pcap
              countertop trace export pcscd.log --pcap tap.pcap --force
            """.flowing)

    @Argument(help: ArgumentHelp("The trace, in any form that `trace import` takes.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Where the packets go.", valueName: "file"))
    var pcap: String

    @Flag(help: "Overwrite the file if it exists.")
    var force = false

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        try OutputFile.check(pcap, overwriting: force)
        let trace = try InputFile.anyTrace(file).trace
        let bytes = PcapWriter.bytes(of: trace)
        try OutputFile.write(bytes, to: pcap, overwriting: force)
        talk.say("\(trace.exchanges.count) exchanges are in \(pcap)")
        if talk.isJSON {
            try talk.result(
                json: .object([
                    "file": .string(pcap), "bytes": .number(bytes.count), "exchanges": .number(trace.exchanges.count),
                ]), text: [])
        }
    }
}

/// `trace explain`
struct TraceExplain: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tell a recorded tap as a story: commands, meanings, times, the outcome and why.",
        discussion: """
            Each command is named and taken apart, tags in the meaning of the application that is selected, bit fields
            in words. A payment is read once more from the recorded answers; its outcome comes with the reason.
            Account numbers are masked. Any form that `trace import` takes will do. With COUNTERTOP_CA_KEYS=FILE the
            card's signatures are checked with the keys of certification authorities in that file.

            EXAMPLES:
              countertop trace explain tap.apdu
              countertop trace explain pcscd.log --json
            """.flowing)

    @Argument(help: ArgumentHelp("The trace.", valueName: "file")) var file: String
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let imported = try InputFile.anyTrace(file, redactor: nil)
        let view = StoryView(imported.trace, format: imported.format, authorities: try authorities(talk.console))
        try talk.result(json: view.json, text: view.text(talk))
    }

    private func authorities(_ console: Console) throws -> AuthorityKeys {
        guard let path = console.environment["COUNTERTOP_CA_KEYS"], !path.isEmpty else { return AuthorityKeys() }
        do {
            return try AuthorityKeys(file: path)
        } catch {
            throw ToolError(.configuration, code: error.code.rawValue, "\(path): \(error.reason)")
        }
    }
}
