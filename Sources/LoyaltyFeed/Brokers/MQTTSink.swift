// SPDX-License-Identifier: Apache-2.0

internal import WalletCrypto

/// Sends events to an MQTT 5 broker: topic `countertop/v1/{tenant}/{store}/{counter}/tap`, QoS 1, body = the CloudEvents
/// document. An event counts as delivered when the broker has acknowledged it.
///
/// For interoperability, not as a store: brokers keep messages for subscribers, and not all survive a restart.
/// A retained message at `…/status` says `online` or `offline`; when the connection breaks, the broker says `offline`.
public final class MQTTSink: Sink {
    /// The name from the configuration.
    public let name: String
    /// How many events are under way at once.
    public let batchLimit: Int
    private let timeout: Duration
    private let worker: BlockingWorker
    /// Used on the worker's queue only.
    private nonisolated(unsafe) let publisher: MQTTPublisher

    /// A sink that connects when it has something to deliver.
    ///
    /// - Parameters:
    ///   - name: of the sink.
    ///   - options: where the broker is, and the topics.
    ///   - batchLimit: how many events are under way at once.
    ///   - timeout: how long one delivery may take, reconnecting included.
    public init(name: String, options: MQTTOptions, batchLimit: Int = 16, timeout: Duration = .seconds(10)) {
        (self.name, self.batchLimit, self.timeout) = (name, max(1, batchLimit), timeout)
        worker = BlockingWorker("mqtt.\(name)")
        publisher = MQTTPublisher(options)
    }

    /// Publishes events in order and waits for each one's acknowledgement, at most as long as the time-out.
    public func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        await worker.run { [self] stop in
            publisher.deliver(events, by: Deadline(in: timeout, stop: stop))
        }
    }

    /// Ends the connection; the next delivery makes another.
    public func close() async {
        await worker.run { [self] stop in
            publisher.disconnect(by: Deadline(in: min(timeout, .seconds(2)), stop: stop))
        }
    }
}

extension MQTTSink {
    /// `type = "mqtt"` in the configuration.
    public static let type = SinkType(
        "mqtt", help: "MQTT 5, QoS 1: countertop/v1/{tenant}/{store}/{counter}/tap, and …/status with a last will",
        source: "OASIS MQTT 5.0; CloudEvents MQTT binding 1.0.2, structured",
        settings: [
            SinkSetting("url", .text, required: true, "the broker, mqtt://host:1883 or mqtts://host:8883"),
            SinkSetting("user", .text, "a user, mostly with password_file"),
            SinkSetting("password_file", .secretFile, "the user's password"),
            SinkSetting("ca_file", .path, "PEM of the authorities for the broker's certificate (mqtts)"),
            SinkSetting("client_id", .text, "our name to the broker; else countertop-{tenant}-{store}-{counter}"),
            SinkSetting("batch", .whole(1...1024), default: .integer(16), "how many events are under way at once"),
            SinkSetting("timeout", .duration, default: .string("10s"), "how long one delivery may take"),
        ],
        make: { (settings) throws(SettingError) in try MQTTSink(settings) })

    private convenience init(_ settings: SinkSettings) throws(SettingError) {
        let context = settings.context
        var options = try NATSSink.setting("url", try settings.required("url")) { (url) throws(BrokerError) in
            try MQTTOptions(
                url: url, tenant: context.tenant, store: context.store, counter: context.counterID)
        }
        if settings.has("ca_file"), !options.usesTLS {
            throw SettingError("ca_file", "is for an encrypted connection", hint: "let url begin with mqtts://")
        }
        options.authorityFile = settings.path("ca_file")
        options.clientID = settings.text("client_id") ?? "\(options.clientID)-\(settings.name)"
        options.user = settings.text("user")
        if let password = try settings.secretText("password_file") {
            guard settings.has("user") else { throw SettingError("password_file", "needs user") }
            options.password = SecretBytes(copying: Array(password.utf8))
        }
        self.init(
            name: settings.name, options: options, batchLimit: settings.whole("batch") ?? 16,
            timeout: settings.duration("timeout") ?? .seconds(10))
    }
}
