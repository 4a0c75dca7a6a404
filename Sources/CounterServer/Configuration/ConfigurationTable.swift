// SPDX-License-Identifier: Apache-2.0

public import LoyaltyFeed

/// A table of the configuration file, and the keys that it may have.
public struct ConfigurationTable: Sendable {
    /// The table's name, such as `http`.
    public let name: String
    /// Whether there may be several: `[[pass]]`.
    public let isList: Bool
    /// What it is about, in a few words.
    public let help: String
    /// Its keys.
    public let settings: [SinkSetting]

    /// The variable of the environment that stands above the file; nil for tables of which there may be several.
    public func variable(for key: String) -> String? {
        guard !isList else { return nil }
        return Self.established["\(name).\(key)"] ?? "COUNTERTOP_\(name)_\(key)".uppercased()
    }

    /// Variables that the other commands have too.
    private static let established = [
        "counter.reader": "COUNTERTOP_READER", "counter.psp_key": "COUNTERTOP_PSP_KEY",
    ]

    /// All tables, in the order in which they are printed.
    public static let all = [counter, pass, http, basket, log, sink]

    static let counter = ConfigurationTable(
        name: "counter", isList: false, help: "what is read, and where it is kept",
        settings: [
            SinkSetting("id", .identifier, required: true, "the counter's name in every event"),
            SinkSetting("reader", .reader, default: .string("pcsc"), "pcsc, pcsc:NAME, emulated:FILE or replay:FILE"),
            SinkSetting("tap", .tap, default: .string("manual"), "when an emulated phone taps: manual, or every 2s"),
            SinkSetting(
                "state", .path, "the outbox's folder; else $STATE_DIRECTORY, else $XDG_STATE_HOME/countertop"),
            SinkSetting("tenant", .identifier, default: .string("default"), "whose counter it is"),
            SinkSetting("store", .identifier, default: .string("default"), "where it stands"),
            SinkSetting(
                "mode", .oneOf(CounterConfiguration.Mode.allCases.map(\.rawValue)), default: .string("vas"),
                "what is read"),
            SinkSetting("amount", .amount, "what is paid, such as \"12.50\""),
            SinkSetting("currency", .currency, "three letters of ISO 4217"),
            SinkSetting("psp_key", .path, "the payment provider's public key"),
            SinkSetting("keep_days", .whole(1...3650), default: .integer(7), "days that delivered events are kept"),
        ])

    static let pass = ConfigurationTable(
        name: "pass", isList: true, help: "a kind of pass that is asked for",
        settings: [
            SinkSetting("id", .text, required: true, "the pass type identifier"),
            SinkSetting("key", .secretFile, "the private key that opens its data"),
            SinkSetting("keys", .secretFiles, "several private keys, while they change"),
            SinkSetting("url", .webAddress, "where a phone without the pass is sent"),
        ])

    static let http = ConfigurationTable(
        name: "http", isList: false, help: "the service",
        settings: [
            SinkSetting("listen", .listenAddress, default: .string("127.0.0.1:8787"), "address and port"),
            SinkSetting("token_file", .secretFile, "bearer tokens, one a line; needed beyond loopback"),
            SinkSetting("tls_certificate", .path, "the certificate chain, PEM; needed beyond loopback"),
            SinkSetting("tls_key", .secretFile, "the certificate's private key, PEM"),
            SinkSetting("allowed_hosts", .hosts, default: .array([]), "names that requests may be for"),
            SinkSetting("language", .language, default: .string("en"), "the language that pages begin in"),
        ])

    static let basket = ConfigurationTable(
        name: "basket", isList: false, help: "orders that the point of sale attaches to taps",
        settings: [
            SinkSetting(
                "window", .duration, default: .string("0s"), "how long an event waits for its basket; 0s for not at all"
            )
        ])

    static let log = ConfigurationTable(
        name: "log", isList: false, help: "what is said while it runs",
        settings: [
            SinkSetting("level", .logLevel, default: .string("info"), "the least that is said"),
            SinkSetting(
                "format", .oneOf(CounterConfiguration.Log.Format.allCases.map(\.rawValue)), default: .string("text"),
                "how it is said"),
        ])

    /// The keys that every sink has; its type has more.
    static let sink = ConfigurationTable(
        name: "sink", isList: true, help: "where events go",
        settings: [
            SinkSetting("name", .identifier, required: true, "the sink's name, and that of its cursor"),
            SinkSetting("type", .text, required: true, "webhook, jsonl, nats, …: see `countertop sink types`"),
        ])
}
