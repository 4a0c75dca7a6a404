// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import ProximityReader

/// Which reader, and how long to wait at it.
struct ReaderOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "pcsc:PART-OF-NAME, emulated:FILE or replay:FILE; else COUNTERTOP_READER, else the first PC/SC reader.",
            valueName: "reader"))
    var reader: String?

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("How long to wait for a card; 0 waits for ever.", valueName: "seconds"))
    var timeout = 60.0

    @Flag(
        help: """
            Send the reader's polling frames while it waits, to wake the phone. Never tried on hardware; `readers` says
            which readers have a way. Also COUNTERTOP_WAKE=1.
            """)
    var wake = false

    func validate() throws {
        guard (0...86_400).contains(timeout) else { throw ValidationError("--timeout takes 0 to 86400 seconds") }
    }

    /// Whether phones are to be woken.
    func wakesPhone(_ console: Console) -> Bool { wake || console.environment["COUNTERTOP_WAKE"] == "1" }

    /// Nil waits for ever.
    var wait: Duration? { timeout == 0 ? nil : .seconds(timeout) }

    /// The choice; a text without a kind before it is part of a PC/SC reader's name.
    func choice(_ console: Console) throws(ToolError) -> ReaderChoice {
        let variable = console.environment["COUNTERTOP_READER"].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = reader ?? variable else { return .pcsc(name: nil) }
        if let choice = ReaderChoice(text) { return choice }
        guard !text.isEmpty, !text.hasPrefix("emulated:"), !text.hasPrefix("replay:") else {
            throw ToolError(
                reader == nil ? .configuration : .usage, "\"\(text)\" names no reader",
                hint: "write pcsc:PART-OF-NAME, emulated:FILE or replay:FILE")
        }
        return .pcsc(name: text)
    }
}
