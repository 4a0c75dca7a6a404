// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import LoyaltyFeed
internal import WalletCrypto

/// `ledger`
struct LedgerCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "Take a fleet's events from NATS JetStream into PostgreSQL, each once.",
        discussion: """
            A message is acknowledged after its row was committed, and an id that is there is not written again.
            Several ledgers with the same --durable share the work. Either server may go away at any time: the ledger
            waits and goes on. Ctrl-C and SIGTERM end it with status 0.

            TABLES, made when they are not there, in the schema `countertop`: `taps` with one row an event (id, tap,
            counter, source, type, sequence, time, pass_type, member, subject, stream_sequence, body, received_at), and
            `rejected` for messages that are no events.

            SECRETS never stand in an argument: the database's password comes from --postgres-password-file, PGPASSFILE
            or a service, those of NATS from files.

            With --json each line is one object: {"state": "ready"}, {"state": "stored", …}, {"state": "rejected", …},
            {"state": "waiting", …} and at the end {"state": "ended", …}.

            EXAMPLES:
              countertop ledger --nats nats://127.0.0.1:4222 --postgres "host=/run/postgresql dbname=loyalty"
              countertop ledger --nats tls://hub:4222 --nats-credentials hq.creds --nats-ca-file ca.pem \\
                --postgres service=loyalty
              countertop ledger --nats nats://127.0.0.1:4222 --postgres dbname=loyalty --once --json
            """.flowing)

    @OptionGroup(title: "The stream") var nats: NATSArguments
    @OptionGroup(title: "The database") var postgres: PostgresArguments
    @OptionGroup(title: "The work") var work: LedgerArguments
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        var options = LedgerOptions(nats: try nats.options(), postgres: try postgres.options())
        try work.apply(to: &options)
        (options.stream, options.subject, options.schema) = (nats.stream, nats.subject, postgres.schema)
        if nats.createStream { options.making = NATSStreamOptions(name: nats.stream) }
        let view = LedgerView(talk: talk)
        let counts = try await Ledger(options) { view.show($0) }.run()
        try view.end(counts)
    }
}

/// Where the stream is.
struct NATSArguments: ParsableArguments {
    @Option(name: .customLong("nats"), help: ArgumentHelp("The NATS server, or several with commas.", valueName: "url"))
    var url: String

    @Option(name: .customLong("nats-credentials"), help: ArgumentHelp("A user's .creds file.", valueName: "file"))
    var credentials: String?

    @Option(name: .customLong("nats-user"), help: ArgumentHelp("A user, with a password file.", valueName: "name"))
    var user: String?

    @Option(name: .customLong("nats-password-file"), help: ArgumentHelp("The user's password.", valueName: "file"))
    var passwordFile: String?

    @Option(name: .customLong("nats-token-file"), help: ArgumentHelp("A token.", valueName: "file"))
    var tokenFile: String?

    @Option(
        name: .customLong("nats-ca-file"),
        help: ArgumentHelp("PEM of the authorities for the server's certificate; turns TLS on.", valueName: "file"))
    var authorityFile: String?

    @Option(help: ArgumentHelp("The stream.", valueName: "name"))
    var stream = "TAPS"

    @Option(help: ArgumentHelp("Only these subjects of it, such as taps.acme.>.", valueName: "subject"))
    var subject: String?

    @Flag(help: "Make the stream for taps.> when it is not there.")
    var createStream = false

    func options() throws -> NATSOptions {
        var options = try NATSOptions(url: url)
        options.authorityFile = authorityFile
        switch (credentials, user, passwordFile, tokenFile) {
        case (nil, nil, nil, nil): break
        case (let file?, nil, nil, nil):
            options.authentication = .credentials(SecretBytes(copying: try PrivateFile.read(file)))
        case (nil, let user?, let file?, nil): options.authentication = .password(user: user, try SecretLine.read(file))
        case (nil, nil, nil, let file?): options.authentication = .token(try SecretLine.read(file))
        default:
            throw ToolError(
                .usage, "--nats-credentials, --nats-user with --nats-password-file, and --nats-token-file: one of them")
        }
        return options
    }
}

/// Where the rows go.
struct PostgresArguments: ParsableArguments {
    @Option(
        name: .customLong("postgres"),
        help: ArgumentHelp("A connection string of libpq, without a password.", valueName: "conninfo"))
    var connection: String

    @Option(
        name: .customLong("postgres-password-file"), help: ArgumentHelp("The database's password.", valueName: "file"))
    var passwordFile: String?

    @Option(help: ArgumentHelp("The schema that has the tables.", valueName: "name"))
    var schema = "countertop"

    func options() throws -> PostgresOptions {
        var options = try PostgresOptions(connection: connection)
        options.password = try passwordFile.map { try SecretLine.read($0) }
        return options
    }
}

/// How the work is done.
struct LedgerArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The consumer that several ledgers share.", valueName: "name"))
    var durable = "ledger"

    @Option(help: ArgumentHelp("The most that goes into one transaction.", valueName: "number"))
    var batch = 256

    @Option(help: ArgumentHelp("When the stream gives what was not acknowledged to another.", valueName: "time"))
    var ackWait = "30s"

    @Option(help: ArgumentHelp("End after this time without a message, such as 10s.", valueName: "time"))
    var idleExit: String?

    @Flag(help: "End when the stream has nothing more.")
    var once = false

    func validate() throws {
        guard (1...4096).contains(batch) else { throw ValidationError("--batch takes 1 to 4096") }
        for (name, text) in [("--ack-wait", ackWait as String?), ("--idle-exit", idleExit)] {
            guard let text, (SettingDuration.parse(text) ?? .zero) <= .zero else { continue }
            throw ValidationError("\(name) takes a time such as 500ms, 30s or 5m")
        }
        let isName = durable.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Array(".*>/\\".utf8).contains($0) }
        guard isName, !durable.isEmpty else { throw ValidationError("--durable takes letters, digits, - and _") }
    }

    func apply(to options: inout LedgerOptions) throws {
        (options.durable, options.batch, options.once) = (durable, batch, once)
        options.acknowledgementWait = SettingDuration.parse(ackWait) ?? options.acknowledgementWait
        options.idleExit = idleExit.flatMap(SettingDuration.parse)
    }
}

/// A secret that is one line of a file.
enum SecretLine {
    static func read(_ path: String) throws -> SecretBytes {
        let bytes = try PrivateFile.read(path)
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        guard !line.isEmpty, !line.contains(0) else {
            throw ToolError(.data, "\(path): the secret must be one line of text")
        }
        return SecretBytes(copying: line)
    }
}
