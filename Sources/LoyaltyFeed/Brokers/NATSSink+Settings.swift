// SPDX-License-Identifier: Apache-2.0

internal import WalletCrypto

extension NATSSink {
    /// `type = "nats"` in the configuration.
    public static let type = SinkType(
        "nats", help: "NATS JetStream, for fleets: taps.{tenant}.{store}.{counter}, Nats-Msg-Id = event id",
        source: "docs.nats.io, JetStream; CloudEvents NATS binding 1.0.2, structured",
        settings: [
            SinkSetting("url", .text, required: true, "the server, nats://host:4222 or tls://host:4222; a list with ,"),
            SinkSetting("credentials_file", .secretFile, "a user's .creds file (JWT and seed)"),
            SinkSetting("user", .text, "a user, with password_file"),
            SinkSetting("password_file", .secretFile, "the user's password"),
            SinkSetting("token_file", .secretFile, "a token"),
            SinkSetting("ca_file", .path, "PEM of the authorities for the server's certificate; turns TLS on"),
            SinkSetting(
                "subject", .text, default: .string("taps.{tenant}.{store}.{counter}"),
                "the subject, with placeholders"),
            SinkSetting("stream", .text, "the stream that must take the events"),
            SinkSetting("create_stream", .flag, "make the stream when it is not there"),
            SinkSetting("stream_subjects", .texts, "what a stream that is made keeps; else the subject's first part"),
            SinkSetting(
                "duplicate_window", .duration, default: .string("2h"), "how long a made stream knows ids again"),
            SinkSetting("max_age", .duration, default: .string("7d"), "how long a made stream keeps events"),
            SinkSetting("max_bytes", .whole(1...Int.max), "how much a made stream keeps"),
            SinkSetting("replicas", .whole(1...5), default: .integer(1), "on how many servers a made stream is kept"),
            SinkSetting("batch", .whole(1...1024), default: .integer(64), "how many events are under way at once"),
            SinkSetting("timeout", .duration, default: .string("10s"), "how long one delivery may take"),
        ],
        make: { (settings) throws(SettingError) in try NATSSink(settings) })

    private convenience init(_ settings: SinkSettings) throws(SettingError) {
        let context = settings.context
        let pattern = try settings.required("subject")
        var options = try Self.setting("url", try settings.required("url")) { (url) throws(BrokerError) in
            try NATSOptions(url: url)
        }
        options.authentication = try Self.authentication(settings)
        options.authorityFile = settings.path("ca_file")
        options.clientName = "countertop \(context.counterID)"
        let subject = try Self.setting("subject", pattern) { (pattern) throws(BrokerError) in
            try Self.subject(
                tenant: context.tenant, store: context.store, counter: context.counterID, pattern: pattern)
        }
        var making: NATSStreamOptions?
        if settings.flag("create_stream") {
            making = Self.stream(settings, first: subject.divided(at: ".").0)
        }
        self.init(
            name: settings.name, options: options, subject: subject, stream: settings.text("stream") ?? making?.name,
            making: making, batchLimit: settings.whole("batch") ?? 64,
            timeout: settings.duration("timeout") ?? .seconds(10))
    }

    private static func stream(_ settings: SinkSettings, first: String) -> NATSStreamOptions {
        let subjects = settings.texts("stream_subjects")
        var options = NATSStreamOptions(
            name: settings.text("stream") ?? "TAPS", subjects: subjects.isEmpty ? [first + ".>"] : subjects)
        options.duplicateWindow = settings.duration("duplicate_window") ?? options.duplicateWindow
        options.maximumAge = settings.duration("max_age") ?? options.maximumAge
        options.maximumBytes = settings.whole("max_bytes")
        options.replicas = settings.whole("replicas") ?? options.replicas
        return options
    }

    private static func authentication(_ settings: SinkSettings) throws(SettingError) -> NATSOptions.Authentication {
        let given = ["credentials_file", "user", "token_file"].filter(settings.has)
        guard given.count < 2 else {
            throw SettingError(given[1], "\(given[0]) and \(given[1]) do not go together")
        }
        if settings.has("password_file"), !settings.has("user") { throw SettingError("password_file", "needs user") }
        if let bytes = try settings.secrets("credentials_file").first {
            let text = SecretBytes(copying: bytes)
            try setting("credentials_file", text) { (text) throws(BrokerError) in _ = try NATSCredentials(text) }
            return .credentials(text)
        }
        if let token = try settings.secretText("token_file") { return .token(SecretBytes(copying: Array(token.utf8))) }
        guard let user = settings.text("user") else { return .none }
        guard let password = try settings.secretText("password_file") else {
            throw SettingError("password_file", "is missing")
        }
        return .password(user: user, SecretBytes(copying: Array(password.utf8)))
    }

    /// The error of a value as the error of its key.
    static func setting<Value, Result>(
        _ key: String, _ value: Value, _ body: (Value) throws(BrokerError) -> Result
    ) throws(SettingError) -> Result {
        do throws(BrokerError) {
            return try body(value)
        } catch {
            throw SettingError(key, error.reason, hint: error.hint)
        }
    }
}
