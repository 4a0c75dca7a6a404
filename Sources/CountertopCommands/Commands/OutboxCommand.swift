// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import LoyaltyFeed

/// `outbox`
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "The counter's outbox: list, show, resend, purge, backup; while it runs too.",
        subcommands: [
            OutboxList.self, OutboxShow.self, OutboxStatus.self, OutboxResend.self, OutboxPurge.self,
            OutboxBackup.self, OutboxExport.self, OutboxCheck.self,
        ])
}

/// `outbox list`
struct OutboxList: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List taps, their events, and where these are on their way.",
        discussion: """
            The latest taps, oldest of them first; with --after those after a cursor, to go through all of them.

            EXAMPLES:
              countertop outbox list --state /var/lib/countertop
              countertop outbox list --config counter.toml --limit 100 --json
              countertop outbox list --state ./state --after 0
            """.flowing)

    @Option(help: ArgumentHelp("How many at most.", valueName: "number")) var limit = 20
    @Option(help: ArgumentHelp("Only taps after this cursor.", valueName: "cursor")) var after: Int64?
    @OptionGroup var place: StateOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 to 100000") }
    }

    func perform(_ talk: Talk) async throws {
        let outbox = try place.open(talk.console)
        let taps =
            if let after { try await outbox.taps(after: after, limit: limit) } else {
                try await outbox.latestTaps(limit: limit)
            }
        try talk.result(
            json: .object(["taps": .array(taps.map { TapView(tap: $0).json })]),
            text: taps.map { TapView(tap: $0).line })
        if taps.isEmpty { talk.say("no taps") }
    }
}

/// `outbox show`
struct OutboxShow: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a tap: its events as they are sent, and every attempt to deliver them.",
        discussion: """
            The bodies hold what the pass handed over.

            EXAMPLES:
              countertop outbox show 01K9V3J5Z8W6N0R7Q4T2Y1XABC --state ./state
              countertop outbox show 01K9V3J5Z8W6N0R7Q4T2Y1XABC --state ./state --json
            """.flowing)

    @Argument(help: ArgumentHelp("The id of a tap or of an event.", valueName: "id")) var id: Identifier
    @OptionGroup var place: StateOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let outbox = try place.open(talk.console)
        var tap = try await outbox.tap(id.id)
        if tap == nil, let event = try await outbox.event(id.id) { tap = try await outbox.tap(event.event.tap) }
        guard let tap else {
            throw ToolError(
                .noInput, code: "notFound", "the outbox has no tap or event \(id.id)", hint: "see `outbox list`")
        }
        var bodies: [String] = []
        for event in tap.events {
            if let body = try await outbox.event(event.id)?.body {
                bodies.append(String(decoding: body, as: UTF8.self))
            }
        }
        let deliveries = try await outbox.deliveries(DeliveryFilter(tap: tap.record.id, limit: 10_000))
        try talk.result(
            json: .object([
                "tap": TapView(tap: tap).json, "bodies": .array(bodies.map { .string($0) }),
                "deliveries": .array(deliveries.map { DeliveryView(row: $0).json }),
            ]),
            text: [TapView(tap: tap).line] + bodies + deliveries.flatMap { DeliveryView(row: $0).lines })
    }
}

/// `outbox status`
struct OutboxStatus: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say how full the outbox is, and how far each sink.",
        discussion: """
            EXAMPLES:
              countertop outbox status --state ./state
              countertop outbox status --config counter.toml --json
            """)

    @OptionGroup var place: StateOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let view = OutboxView(statistics: try await place.open(talk.console).statistics())
        try talk.result(json: view.json, text: view.lines)
    }
}

/// `outbox resend`
struct OutboxResend: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend", abstract: "Send events again: one, those since a moment, or what was given up.",
        discussion: """
            Events go out with the same id and the same bytes, so that who has them already can tell. A sink that was
            disabled is enabled. A counter that runs begins within a second; otherwise it does when it is started.

            EXAMPLES:
              countertop outbox resend --dead --state ./state
              countertop outbox resend --event 01K9V3J5Z8W6N0R7Q4T2Y1XABC --sink crm --state ./state
              countertop outbox resend --since 2026-11-21T08:00:00Z --sink fleet --config counter.toml
              countertop outbox resend --since 2h --state ./state
            """.flowing)

    @Option(help: ArgumentHelp("One event.", valueName: "id")) var event: Identifier?
    @Option(
        help: ArgumentHelp("All of taps since then: a time, or how long ago.", valueName: "time"),
        transform: Moment.parse)
    var since: Moment?
    @Flag(help: "What was given up.") var dead = false
    @Option(help: ArgumentHelp("To this sink only.", valueName: "name")) var sink: String?
    @OptionGroup var place: StateOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let choices = [event != nil, since != nil, dead].count { $0 }
        guard choices == 1 else { throw ValidationError("give one of --event, --since and --dead") }
    }

    func perform(_ talk: Talk) async throws {
        let outbox = try place.open(talk.console)
        let names = try await outbox.statistics().sinks.map(\.name)
        if let sink, !names.contains(sink) {
            let known = names.isEmpty ? "none" : names.joined(separator: ", ")
            throw ToolError(.usage, code: "unknownSink", "the counter has no sink \(sink)", hint: "it has: \(known)")
        }
        if let event, try await outbox.event(event.id) == nil {
            throw ToolError(
                .noInput, code: "notFound", "the outbox has no event \(event.id)", hint: "see `outbox list`")
        }
        let selection: Resend =
            if let event { .event(event.id, sink: sink) } else if let since { .since(since.date, sink: sink) } else {
                .deadLetters(sink: sink)
            }
        let count = try await outbox.resend(selection)
        try talk.result(json: .object(["resent": .number(count)]), text: ["\(count) to send"])
    }
}

/// `outbox purge`
struct OutboxPurge: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove old taps that every sink has, or gave up.",
        discussion: """
            Without --before it removes what was delivered longer ago than the counter keeps it (keep_days), as the
            counter does by itself every hour. With it the time of the tap counts, however lately it was delivered. What
            a sink still waits for stays, however old it is.

            EXAMPLES:
              countertop outbox purge --state ./state
              countertop outbox purge --before 2026-11-01 --state ./state
              countertop outbox purge --before 24h --config counter.toml --json
            """.flowing)

    @Option(
        help: ArgumentHelp("Taps that began before then: a time, or how long ago.", valueName: "time"),
        transform: Moment.parse)
    var before: Moment?
    @OptionGroup var place: StateOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let count = try await place.open(talk.console).purge(before: before?.date)
        try talk.result(json: .object(["removed": .number(count)]), text: ["\(count) removed"])
    }
}

/// `outbox backup`
struct OutboxBackup: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the outbox to a file, as of one moment, while the counter runs.",
        discussion: """
            The file has mode 0600 and is an outbox itself: named outbox.sqlite in an empty state directory, a counter
            goes on with it.

            EXAMPLES:
              countertop outbox backup outbox-2026-11-21.sqlite --state /var/lib/countertop
            """.flowing)

    @Argument(help: ArgumentHelp("A file that is not there yet.", valueName: "file")) var file: String
    @OptionGroup var place: StateOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        try await place.open(talk.console).backup(to: file)
        try talk.result(json: .object(["backup": .string(file)]), text: [file])
    }
}

/// `outbox export`
struct OutboxExport: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print released events as JSON Lines, in the order in which they go out.",
        discussion: """
            Each line is the body as it is sent; --json changes only how errors are told.

            EXAMPLES:
              countertop outbox export --state ./state > events.jsonl
              countertop outbox export --after 1742 --state ./state
            """.flowing)

    @Option(help: ArgumentHelp("Only events after this position.", valueName: "position")) var after: Int64 = 0
    @OptionGroup var place: StateOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let outbox = try place.open(talk.console)
        var position = after
        while case let events = try await outbox.events(after: position, limit: 500), let last = events.last {
            for event in events { try talk.result(String(decoding: event.outgoing.body, as: UTF8.self)) }
            position = last.position
        }
    }
}

/// `outbox check`
struct OutboxCheck: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the outbox's file, and that no number is missing.",
        discussion: """
            Exit status 1 when something is wrong.

            EXAMPLES:
              countertop outbox check --state ./state
              countertop outbox check --config counter.toml --json
            """)

    @OptionGroup var place: StateOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let findings = try await place.open(talk.console).check()
        try talk.result(
            json: .object(["isSound": .bool(findings.isEmpty), "findings": .array(findings.map { .string($0) })]),
            text: findings.isEmpty ? ["the outbox is sound"] : findings)
        if !findings.isEmpty { throw ToolError.silent(.checkFailed) }
    }
}
