// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ArgumentParser
internal import ISO7816

/// `record`
struct Record: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Read as `read` does, and keep the APDUs in a trace.",
        discussion: """
            The trace is written however the read ends, as long as the card said something. What a pass holds stays
            encrypted in it.

            EXAMPLES:
              countertop record --pass pass.com.example.club --key club.pem --output tap.apdu
              countertop record --pass pass.com.example.club --reader emulated:phone.json --output tap.apdu --force
            """)

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var reader: ReaderOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Where the trace goes.", valueName: "file"))
    var destination: String

    @Option(help: ArgumentHelp("What the trace is about, for its header.", valueName: "text"))
    var what: String?

    @Flag(help: "Overwrite the file if it exists.")
    var force = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(visibility: .hidden) var free: FreeWords

    func perform(_ talk: Talk) async throws {
        try OutputFile.check(destination, overwriting: force)
        let opened = try await OpenedReader.open(
            try reader.choice(talk.console), wakingPhone: reader.wakesPhone(talk.console))
        await opened.introduce(talk)
        let recorder = TraceRecorder(header: header(opened.reader.name))
        let setting = CounterRun.Setting(wait: reader.wait, recorder: recorder)
        var failure: (any Error)?
        do {
            try await reading.readOnce(opened, setting, words: (free.passes, free.keys), talk)
        } catch { failure = error }
        if !recorder.trace.taps.isEmpty {
            do {
                try OutputFile.write(recorder.trace.text(), to: destination, overwriting: force)
                talk.say("the trace is in \(destination)")
            } catch { failure = failure ?? talk.spoken(error) }
        }
        if let failure { throw failure }
    }

    private func header(_ reader: String) -> TraceHeader {
        var header = TraceHeader()
        header.what = (what ?? "a tap for \(reading.passes.pass.map(\.id).joined(separator: ", "))").oneLine
        header.source = "recorded by countertop \(Countertop.version) from \(reader)".oneLine
        return header
    }
}

extension String {
    /// Fit for one header line.
    fileprivate var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
