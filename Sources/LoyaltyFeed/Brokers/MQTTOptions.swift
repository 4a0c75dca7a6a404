// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// Where an MQTT broker is, and how to get in.
public struct MQTTOptions: Sendable {
    /// The broker's name or address.
    public let host: String
    /// Its port.
    public let port: UInt16
    /// Whether the connection is encrypted.
    public let usesTLS: Bool
    /// PEM of the authorities that the broker's certificate is checked against, instead of the system's.
    public var authorityFile: String?
    /// Our name to the broker; two clients of one name put each other out.
    public var clientID: String
    /// A user, when the broker wants one.
    public var user: String?
    /// The user's password.
    public var password: SecretBytes?
    /// The topic that events go to.
    public var topic: String
    /// The topic that says `online` or `offline`, retained.
    public var statusTopic: String

    /// Options for a broker such as `mqtt://host:1883` or `mqtts://host:8883` and a counter's topics,
    /// `countertop/v1/{tenant}/{store}/{counter}/tap` and `…/status`.
    ///
    /// - Throws: `BrokerError` when the URL is none or holds a secret, or a part is no level of a topic.
    public init(url: String, tenant: String, store: String, counter: String) throws(BrokerError) {
        let (scheme, rest) = url.divided(at: "://")
        guard let fallback: UInt16 = ["mqtt": 1883, "mqtts": 8883][scheme] else {
            throw BrokerError(
                .invalidSetting, "an MQTT broker's URL begins with mqtt:// or mqtts://",
                hint: "such as mqtt://127.0.0.1:1883")
        }
        guard !rest.contains("@") else {
            throw BrokerError(
                .invalidSetting, "an MQTT broker's URL must not hold a user or a password",
                hint: "user and password_file take them")
        }
        guard let (host, port) = Self.address(rest, fallback) else {
            throw BrokerError(.invalidSetting, "an MQTT broker's URL is mqtt://host:port and nothing more")
        }
        for level in [tenant, store, counter] where !Self.isLevel(level) {
            throw BrokerError(
                .invalidSetting, "\"\(level)\" does not make a level of an MQTT topic", hint: "+, # and / do not do")
        }
        (self.host, self.port, usesTLS) = (host, port, scheme == "mqtts")
        let path = "countertop/v1/\(tenant)/\(store)/\(counter)"
        (topic, statusTopic) = (path + "/tap", path + "/status")
        clientID = "countertop-\(tenant)-\(store)-\(counter)"
    }

    private static func address(_ text: String, _ fallback: UInt16) -> (host: String, port: UInt16)? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        if text.hasPrefix("[") {
            let (host, rest) = String(text.dropFirst()).divided(at: "]")
            guard !host.isEmpty else { return nil }
            if rest.isEmpty { return (host, fallback) }
            guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
            return (host, port)
        }
        guard let colon = text.lastIndex(of: ":") else { return (text, fallback) }
        let host = String(text[..<colon])
        guard !host.isEmpty, !host.contains(":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        return (host, port)
    }

    /// MQTT 5.0, 4.7: no wildcard, no separator; and nothing that cannot be seen.
    private static func isLevel(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && !"+#/".contains($0) }
    }
}

extension String {
    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}
