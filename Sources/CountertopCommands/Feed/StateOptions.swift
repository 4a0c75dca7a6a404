// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import Foundation
internal import LoyaltyFeed

/// Which counter's outbox is meant.
struct StateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The counter's state directory.", valueName: "folder"))
    var state: String?

    @Option(
        help: ArgumentHelp(
            "The counter's TOML file, which names the state directory; else the one that `serve` finds.",
            valueName: "file"))
    var config: String?

    func validate() throws {
        if state != nil, config != nil { throw ValidationError("--state and --config are two answers to one question") }
    }

    /// The outbox, whether the counter runs or not.
    func open(_ console: Console) throws -> Outbox {
        if let state { return try Outbox(existingIn: state) }
        guard let path = ConfigurationOptions.path(config, console.environment) else {
            throw ToolError(
                .configuration, "no outbox is named", hint: "give --state FOLDER, or --config FILE")
        }
        let configuration = try ConfigurationOptions.parse([]).load(path, console)
        var options = OutboxOptions()
        options.keepDays = configuration.counter.keepDays
        return try Outbox(existingIn: configuration.counter.state, options: options)
    }
}

/// A moment: `2026-11-21T01:40:00Z`, `2026-11-21`, or how long ago, such as `2h`.
struct Moment: Hashable, Sendable {
    let date: Date

    /// What the options that take one say when they get something else.
    @Sendable static func parse(_ argument: String) throws -> Moment {
        guard let moment = Moment(argument: argument) else {
            throw ValidationError("a moment is such as 2026-11-21T01:40:00Z, 2026-11-21, or how long ago: 2h, 7d")
        }
        return moment
    }

    init?(argument: String) {
        if let ago = SettingDuration.parse(argument) {
            date = Date(timeIntervalSinceNow: -(ago / .seconds(1)))
        } else if let date = Self.date(argument) ?? Self.date(argument + "T00:00:00Z") {
            self.date = date
        } else {
            return nil
        }
    }

    private static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}

/// An event or a tap.
struct Identifier: ExpressibleByArgument, Hashable, Sendable {
    let id: ULID

    init?(argument: String) {
        guard let id = ULID(argument) else { return nil }
        self.id = id
    }
}

extension ToolError {
    /// What the outbox said.
    init(_ error: OutboxError) {
        self.init(
            Self.outbox[error.code] ?? .internalFailure, code: error.code.rawValue, error.reason, hint: error.hint)
    }

    private static let outbox: [OutboxError.Code: ExitStatus] = [
        .busy: .temporary, .full: .inputOutput, .notAllowed: .refused, .notFound: .noInput, .unsuitable: .data,
        .damaged: .data, .exists: .refused, .duplicate: .data, .notTheCounter: .usage,
    ]
}
