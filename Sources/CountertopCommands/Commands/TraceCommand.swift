// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ArgumentParser
internal import CounterServer

/// `trace`
struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Look at recorded traces.",
        subcommands: [
            TraceShow.self, TraceExplain.self, TraceDiff.self, TraceImportCommand.self, TraceExport.self,
        ])
}

/// `trace show`
struct TraceShow: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a trace, each command and answer taken apart.",
        discussion: """
            EXAMPLES:
              countertop trace show tap.apdu
              countertop trace show tap.apdu --json
            """.flowing)

    @Argument(help: ArgumentHelp("The trace.", valueName: "file")) var file: String
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let view = TraceView(trace: try InputFile.trace(file))
        try talk.result(json: view.json, text: view.text(talk))
    }
}

/// `trace diff`
struct TraceDiff: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare two traces.",
        discussion: """
            What is new in every tap (nonces, encrypted pass data) is not compared, unless --exact says so; times never
            are. Exit status 1 when the traces differ.

            EXAMPLES:
              countertop trace diff yesterday.apdu today.apdu
              countertop trace diff a.apdu b.apdu --exact --json
            """.flowing)

    @Argument(help: ArgumentHelp("One trace.", valueName: "file")) var left: String
    @Argument(help: ArgumentHelp("The other trace.", valueName: "file")) var right: String

    @Flag(help: "Compare what varies too.")
    var exact = false

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let comparison = TraceComparison(
            try InputFile.trace(left), try InputFile.trace(right), blanking: !exact)
        let lines = comparison.differences.map(\.description)
        try talk.result(
            json: .object([
                "equal": .bool(comparison.isEqual), "differences": .array(lines.map { .string($0) }),
            ]),
            text: lines)
        guard comparison.isEqual else { throw ToolError.silent(.checkFailed) }
        talk.detail("the traces say the same")
    }
}
