// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import LoyaltyFeed

/// `sink`
struct SinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sink", abstract: "Where events go: try a sink, list them, receive webhooks.",
        subcommands: [SinkTest.self, SinkList.self, SinkTypes.self, SinkReceive.self])
}

/// `sink test`
struct SinkTest: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send one test event through a sink, and say what happened.",
        discussion: """
            The event has the type \(TapEvent.Kind.test.rawValue), an id of its own and {"test":true} as its basket; it
            is signed as any other, stands in no outbox and is not sent again. Exit status 1 when it was not delivered.

            A provider's sink does what it does with any member: --member names one that may have a point too many.

            EXAMPLES:
              countertop sink test shop --config counter.toml
              countertop sink test square --config counter.toml --member +15550100 --json
            """.flowing)

    @Argument(help: "The sink's name in the configuration.") var name: String
    @Option(help: ArgumentHelp("The member that the event has.", valueName: "text")) var member = TestEvent.member
    @OptionGroup(title: "The counter") var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let configuration = try configuration.load(talk.console)
        let trial = try SinkTrial(name, configuration)
        talk.detail("sending one event to \(name), a \(trial.type) sink")
        let outcome = await trial.run(member: member)
        try talk.result(json: outcome.json, text: outcome.text)
        guard outcome.report.verdict == .delivered else { throw ToolError.silent(.checkFailed) }
    }
}

/// `sink list`
struct SinkList: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The sinks of a configuration.",
        discussion: """
            Their names and types, in the order of the file; what state each one is in, `countertop outbox status` says.

            EXAMPLES:
              countertop sink list --config counter.toml
              countertop sink list --config counter.toml --json
            """.flowing)

    @OptionGroup(title: "The counter") var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let sinks = try configuration.load(talk.console).sinks
        let width = sinks.map(\.name.count).max() ?? 0
        try talk.result(
            json: .object([
                "sinks": .array(
                    sinks.map { .object(["name": .string($0.name), "type": .string($0.type)]) })
            ]),
            text: sinks.map { table in
                let help = SinkFactory.type(named: table.type)?.help ?? ""
                return "\(table.name.padded(to: width))  \(table.type.padded(to: 10))  \(help)"
            })
    }
}

/// `sink types`
struct SinkTypes: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "types", abstract: "The types of sinks there are, with their keys.",
        discussion: """
            Without TYPE one line for each; with it every key of that type, what it takes, and its default.

            EXAMPLES:
              countertop sink types
              countertop sink types square
            """.flowing)

    @Argument(help: ArgumentHelp("A type, to see its keys.", valueName: "type")) var type: String?
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        guard let type else {
            let width = SinkFactory.types.map(\.name.count).max() ?? 0
            return try talk.result(
                json: .object(["types": .array(SinkFactory.types.map(SinkTypeView.json))]),
                text: SinkFactory.types.map { "\($0.name.padded(to: width))  \($0.help)" })
        }
        guard let found = SinkFactory.type(named: type) else {
            throw ToolError(
                .usage, "there is no sink of the type `\(type)`",
                hint: "known: \(SinkFactory.types.map(\.name).joined(separator: ", "))")
        }
        try talk.result(json: .object(["types": .array([SinkTypeView.json(found)])]), text: SinkTypeView.text(found))
    }
}

extension String {
    /// With blanks behind it, for a column.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
