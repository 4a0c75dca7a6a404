// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import Foundation

/// The configuration of a counter, and the flags that stand above it.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The counter's TOML file; else COUNTERTOP_CONFIG, else countertop/countertop.toml below $XDG_CONFIG_HOME, else
            /etc/countertop/countertop.toml.
            """, valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Where to listen, above http.listen of the file.", valueName: "host:port"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "pcsc, pcsc:NAME, emulated:FILE or replay:FILE, above counter.reader of the file.", valueName: "reader"))
    var reader: String?

    @Option(
        help: ArgumentHelp(
            "When an emulated phone taps, manual or \"every 2s\", above counter.tap of the file.", valueName: "when"))
    var tap: String?

    @Option(help: ArgumentHelp("The outbox's folder, above counter.state of the file.", valueName: "folder"))
    var state: String?

    @Option(help: ArgumentHelp("The least that is logged, above log.level of the file.", valueName: "level"))
    var logLevel: String?

    private var overrides: [SettingOverride] {
        let flags: [(key: String, text: String?, flag: String)] = [
            ("http.listen", listen, "--listen"), ("counter.reader", reader, "--reader"),
            ("counter.tap", tap, "--tap"), ("counter.state", state, "--state"), ("log.level", logLevel, "--log-level"),
        ]
        return flags.compactMap { key, text, flag in text.map { SettingOverride(key, $0, flag: flag) } }
    }

    /// The configuration as it holds.
    func load(_ console: Console) throws -> CounterConfiguration {
        guard let path = Self.path(config, console.environment) else {
            throw ToolError(
                .configuration, "there is no configuration", hint: "write one: countertop config example > counter.toml"
            )
        }
        return try load(path, console)
    }

    /// The configuration in one file; `-` is standard input.
    func load(_ path: String, _ console: Console) throws -> CounterConfiguration {
        guard path == "-" else {
            return try CounterConfiguration.load(path: path, environment: console.environment, overrides: overrides)
        }
        return try CounterConfiguration.parse(
            try console.readInput(), file: "standard input", environment: console.environment, overrides: overrides)
    }

    /// The file that is meant when the command line names none.
    static func path(_ given: String?, _ environment: [String: String]) -> String? {
        if let path = given ?? environment["COUNTERTOP_CONFIG"].flatMap({ $0.isEmpty ? nil : $0 }) { return path }
        let homes = [
            environment["XDG_CONFIG_HOME"] ?? "", environment["HOME"].map { "\($0)/.config" } ?? "", "/etc",
        ]
        return homes.filter { $0.hasPrefix("/") }.map { "\($0)/countertop/countertop.toml" }
            .first { FileManager.default.isReadableFile(atPath: $0) }
    }
}

extension ToolError {
    /// The first of what is wrong; the rest is said by `config check`.
    init(_ error: ConfigurationError) {
        let first = error.problems.first
        let more = error.problems.count - 1
        let rest = more > 0 ? "; \(more) more: see `countertop config check`" : ""
        self.init(
            Self.status(of: error.problems), code: first?.code.rawValue,
            exactly: (first?.description ?? "the configuration cannot be used") + rest, hint: first?.hint)
    }

    /// How a command ends that finds these.
    static func status(of problems: [ConfigurationError.Problem]) -> ExitStatus {
        if problems.allSatisfy({ $0.code == .filePermissions }) { return .refused }
        return problems.allSatisfy { $0.code == .unreadableFile && $0.key == nil } ? .noInput : .configuration
    }
}
