// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import PCSC

/// `watch`
struct Watch: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Read tap after tap, with every event as Apple's API sends it.",
        discussion: """
            With --jsonl each line is one object: {"event":"readyForTap"}, {"result":{…}} as `read` has it, or
            {"error":"…"} for a tap that brought nothing. It goes on when a reader is unplugged and comes back, and
            ends with status 0 at Ctrl-C or after --count results. With --max-age each result says whether it is fresh;
            what was seen in an earlier tap is replayed.

            EXAMPLES:
              countertop watch --jsonl --pass pass.com.example.club --key club.pem
              countertop watch --jsonl --pass pass.com.example.club --reader emulated:phone.json --count 1
              countertop watch --pass pass.com.example.club --conditions slowPreparation=3,nfcDisabled
            """.flowing)

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var reader: ReaderOptions

    @Flag(help: "One JSON object a line.")
    var jsonl = false

    @Option(
        name: [.customShort("n"), .long], parsing: .unconditional,
        help: ArgumentHelp("End after so many results.", valueName: "number"))
    var count: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup(visibility: .hidden) var free: FreeWords

    func validate() throws {
        try reading.passes.require()
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
    }

    func perform(_ talk: Talk) async throws {
        let setting = CounterRun.Setting(conditions: try reading.conditions.list(talk.console))
        let watching = Watching(
            lines: jsonl || output.json, talk: talk, job: try reading.passJob((free.passes, free.keys)),
            wait: reader.timeout == 60 ? nil : reader.wait, choice: try reader.choice(talk.console),
            wakesPhone: reader.wakesPhone(talk.console) ? .vasOnly : nil, setting: setting)
        do { try await watching.run(count: count) } catch ToolError.interrupted { return }
    }
}

extension ToolError {
    static func ~= (pattern: ToolError, value: any Error) -> Bool { (value as? ToolError) == pattern }
}
