// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import LoyaltyFeed

/// `config`
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "The counter's configuration: check, print, an example.",
        subcommands: [ConfigCheck.self, ConfigPrint.self, ConfigExample.self])
}

/// `config check`
struct ConfigCheck: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration, and the files that it names.",
        discussion: """
            Says all that is wrong with the settings at once, and when they are right, with the files and sinks that they
            name, each on a line that begins with FILE:LINE:COLUMN. Exit status 78 when something is, 77 when it is only that others can read a file with a secret. No connection is opened.

            EXAMPLES:
              countertop config check counter.toml
              countertop config check /etc/countertop/countertop.toml --json
            """.flowing)

    @Argument(help: ArgumentHelp("The TOML file, or `-` for standard input.", valueName: "file")) var file: String
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        do {
            let configuration = try ConfigurationOptions.parse([]).load(file, talk.console)
            let problems = configuration.fileProblems()
            guard problems.isEmpty else { throw ConfigurationError(problems) }
            try talk.result(
                json: .object(["ok": true, "file": .string(file), "problems": .array([])]),
                text: ["\(file): ok: \(Self.summary(configuration))"])
        } catch let error as ConfigurationError {
            try talk.result(
                json: .object([
                    "ok": false, "file": .string(file), "problems": .array(error.problems.map(Self.json)),
                ]),
                text: error.problems.flatMap { problem in
                    [problem.description] + (problem.hint.map { ["  hint: \($0)"] } ?? [])
                })
            throw ToolError.silent(ToolError.status(of: error.problems))
        }
    }

    private static func summary(_ configuration: CounterConfiguration) -> String {
        let counts = [
            (configuration.passes.count, "pass", "passes"), (configuration.sinks.count, "sink", "sinks"),
        ].map { count, one, many in "\(count) \(count == 1 ? one : many)" }
        return "counter \(configuration.counter.id), \(counts.joined(separator: ", ")), \(configuration.http.listen)"
    }

    private static func json(_ problem: ConfigurationError.Problem) -> JSON {
        var (line, column): (JSON?, JSON?) = (nil, nil)
        if case .file(_, let number, let character) = problem.origin {
            (line, column) = (number.map { .number($0) }, character.map { .number($0) })
        }
        return .object([
            "code": .string(problem.code.rawValue), "place": .string(problem.origin.description), "line": line,
            "column": column, "key": .optional(problem.key), "reason": .string(problem.reason),
            "hint": .optional(problem.hint),
        ])
    }
}

/// `config print`
struct ConfigPrint: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print what holds, and where each value came from.",
        discussion: """
            Flags stand above the environment, the environment above the file, the file above defaults. What somebody has
            set is printed, with --effective the defaults too. The output is TOML, each value with its origin as a
            comment. Files with secrets are named, never read; what may be a secret elsewhere is printed as ***.

            EXAMPLES:
              countertop config print --config counter.toml
              COUNTERTOP_HTTP_LISTEN=127.0.0.1:0 countertop config print --config counter.toml --effective --json
            """.flowing)

    @Flag(help: "Defaults too.") var effective = false
    @OptionGroup(title: "The counter") var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let configuration = try configuration.load(talk.console)
        var lines = configuration.toml(effective: effective)
        while lines.last?.isNewline == true { lines.removeLast() }
        try talk.result(
            json: .object([
                "settings": .array(configuration.maskedSettings(effective: effective).map(Self.json))
            ]), text: [lines])
    }

    private static func json(_ setting: ConfigurationSources.Setting) -> JSON {
        .object([
            "key": .string(setting.key), "value": JSON(setting.value), "origin": .string(word(setting.origin)),
            "place": .string(setting.origin.description),
        ])
    }

    private static func word(_ origin: SettingOrigin) -> String {
        switch origin {
        case .flag: "flag"
        case .environment: "environment"
        case .file: "file"
        case .fallback: "default"
        }
    }
}

/// `config example`
struct ConfigExample: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "example", abstract: "Print a configuration to start from, with every key.",
        discussion: """
            The output is TOML either way; --json only changes how errors are told.

            EXAMPLES:
              countertop config example > counter.toml
            """)

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        var text = CounterConfiguration.example()
        while text.last?.isNewline == true { text.removeLast() }
        try talk.result(text)
    }
}

extension JSON {
    /// A value of a configuration. JSON here has whole numbers only; others become texts.
    init(_ value: SettingValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .integer(let number): .number(number)
            case .double(let number): .string("\(number)")
            case .boolean(let flag): .bool(flag)
            case .array(let items): .array(items.map(JSON.init))
            case .table(let table):
                .object(table.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: JSON($0.value)) })
            }
    }
}
