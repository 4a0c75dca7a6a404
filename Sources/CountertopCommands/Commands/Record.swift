// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ArgumentParser
internal import CounterServer
internal import ISO7816
internal import PCSC

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
            """.flowing)

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

    func validate() throws { try reading.passes.require() }

    func perform(_ talk: Talk) async throws {
        try OutputFile.check(destination, overwriting: force)
        let job = try reading.passJob((free.passes, free.keys))
        let opened = try await OpenedReader.open(
            try reader.choice(talk.console), wakingPhone: reader.wakesPhone(talk.console) ? .vasOnly : nil)
        await opened.introduce(talk)
        let recorder = TraceRecorder(header: header(opened.reader.name))
        let setting = CounterRun.Setting(wait: reader.wait, recorder: recorder)
        let file = TraceFile(path: destination, overwriting: force)
        try await file.keeping(recorder, talk) { try await reading.readOnce(opened, setting, job, talk) }
    }

    private func header(_ reader: String) -> TraceHeader {
        TraceFile.header(what ?? "a tap for \(reading.passes.pass.map(\.id).joined(separator: ", "))", reader)
    }
}
