// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import LoyaltyFeed

/// What stands in the configuration, and what servers answer, without a server.
@Suite struct BrokerSettingTests {
    static let secret = "hunter2hunter2"

    private func settings(_ type: SinkType, _ values: [String: SettingValue]) -> SinkSettings {
        var all = values
        for setting in type.settings where all[setting.key] == nil { all[setting.key] = setting.fallback }
        return SinkSettings(name: "fleet", type: type.name, context: BrokerBench.context, values: all)
    }

    private func error(_ type: SinkType, _ values: [String: SettingValue]) -> SettingError? {
        do throws(SettingError) {
            _ = try type.make(settings(type, values))
            return nil
        } catch { return error }
    }

    @Test func urlsOfServers() throws {
        #expect(try NATSOptions(url: "127.0.0.1:4222").servers == ["nats://127.0.0.1:4222"])
        let two = try NATSOptions(url: "tls://a:4222, tls://b")
        #expect(two.servers == ["tls://a:4222", "tls://b"] && two.wantsTLS)
        for wrong in ["", ",", "http://a", "nats://", "nats://u:\(Self.secret)@a", "nats://a b", "tls://tok@a:1"] {
            #expect(throws: BrokerError.self, "\(wrong)") { try NATSOptions(url: wrong) }
        }
        let mqtt = try MQTTOptions(url: "mqtts://[::1]:8884", tenant: "acme", store: "0042", counter: "c1")
        #expect(mqtt.host == "::1" && mqtt.port == 8884 && mqtt.usesTLS)
        #expect(mqtt.topic == "countertop/v1/acme/0042/c1/tap")
        #expect(mqtt.statusTopic == "countertop/v1/acme/0042/c1/status")
        #expect(try MQTTOptions(url: "mqtt://b", tenant: "a", store: "b", counter: "c").port == 1883)
        for wrong in [
            "", "b:1883", "mqtt://", "mqtt://u@b", "mqtt://b:0", "mqtt://b:70000", "mqtt://a:b:1", "mqtt://b/x",
        ] {
            #expect(throws: BrokerError.self, "\(wrong)") {
                try MQTTOptions(url: wrong, tenant: "a", store: "b", counter: "c")
            }
        }
        for level in ["", "a/b", "+", "#", "a b"] {
            #expect(throws: BrokerError.self) {
                try MQTTOptions(url: "mqtt://b", tenant: level, store: "b", counter: "c")
            }
        }
    }

    @Test func subjects() throws {
        #expect(try NATSSink.subject(tenant: "acme", store: "0042", counter: "c1") == "taps.acme.0042.c1")
        #expect(try NATSSink.subject(tenant: "a", store: "b", counter: "c", pattern: "x.{counter}") == "x.c")
        for tenant in ["", "a.b", "*", ">", "a b", "å"] {
            #expect(throws: BrokerError.self, "\(tenant)") {
                try NATSSink.subject(tenant: tenant, store: "s", counter: "c")
            }
        }
        for pattern in ["", "taps.", "taps.>", "taps.{nobody}", ".taps"] {
            #expect(throws: BrokerError.self, "\(pattern)") {
                try NATSSink.subject(tenant: "a", store: "s", counter: "c", pattern: pattern)
            }
        }
    }

    @Test func natsTable() throws {
        let folder = try TemporaryFolder()
        let file = SettingValue.string(try folder.write("password", Self.secret + "\n"))
        let url = SettingValue.string("nats://127.0.0.1:4222")
        #expect(error(NATSSink.type, ["url": url]) == nil)
        #expect(error(NATSSink.type, ["url": url, "token_file": file, "create_stream": .boolean(true)]) == nil)
        #expect(error(NATSSink.type, ["url": url, "user": .string("u"), "password_file": file]) == nil)
        let wrong: [(key: String, [String: SettingValue])] = [
            ("url", ["url": .string("nats://u:\(Self.secret)@a")]),
            ("subject", ["url": url, "subject": .string("taps.*")]),
            ("password_file", ["url": url, "password_file": file]),
            ("password_file", ["url": url, "user": .string("u")]),
            ("token_file", ["url": url, "user": .string("u"), "token_file": file]),
            ("credentials_file", ["url": url, "credentials_file": file]),
        ]
        for (key, values) in wrong {
            let error = error(NATSSink.type, values)
            #expect(error?.key == key)
            #expect(error.map { !"\($0)".contains(Self.secret) } == true)
        }
    }

    @Test func mqttTable() throws {
        let folder = try TemporaryFolder()
        let file = SettingValue.string(try folder.write("password", Self.secret + "\n"))
        let url = SettingValue.string("mqtt://127.0.0.1:1883")
        #expect(error(MQTTSink.type, ["url": url, "user": .string("u"), "password_file": file]) == nil)
        #expect(error(MQTTSink.type, ["url": url, "password_file": file])?.key == "password_file")
        #expect(error(MQTTSink.type, ["url": url, "ca_file": .string("ca.pem")])?.key == "ca_file")
        #expect(error(MQTTSink.type, ["url": .string("tcp://b")])?.key == "url")
    }

    @Test func acknowledgements() {
        func report(_ text: String) -> DeliveryReport? { NATSAcknowledgement(Array(text.utf8))?.report }
        #expect(report(#"{"stream":"TAPS","seq":12}"#)?.detail == "stream TAPS, sequence 12")
        let known = report(#"{"stream":"TAPS","seq":12,"duplicate":true}"#)
        #expect(known?.verdict == .delivered && known?.detail.contains("had it already") == true)
        let tooLong = report(#"{"error":{"code":400,"err_code":10054,"description":"message\u0000too long"}}"#)
        #expect(tooLong?.verdict == .refused(retryAfter: nil) && tooLong?.status == 400)
        let full = report(#"{"type":"x","error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"}}"#)
        #expect(full?.verdict == .unavailable(retryAfter: nil))
        #expect(report("{}") == nil && report("") == nil && report("[1]") == nil && report(#"{"seq":-1}"#) == nil)
    }

    @Test func reasonsOfMQTT() {
        #expect(MQTTReason(0).report.verdict == .delivered && MQTTReason(0x10).report.verdict == .delivered)
        #expect(MQTTReason(0x95).report.verdict == .refused(retryAfter: nil))
        #expect(MQTTReason(0x87).report.verdict == .unavailable(retryAfter: nil))
        #expect(MQTTReason(0xFF).report.verdict == .unavailable(retryAfter: nil))
    }

    @Test func databasePasswordsStayOutOfArguments() throws {
        for wrong in [
            "host=a password=\(Self.secret)", "postgresql://u:\(Self.secret)@a/b", "sslpassword=\(Self.secret)",
            "nonsense \(Self.secret)",
        ] {
            do {
                _ = try PostgresOptions(connection: wrong)
                Issue.record("was taken")
            } catch { #expect(!"\(error) \(error.hint ?? "")".contains(Self.secret)) }
        }
        _ = try PostgresOptions(connection: "host=a dbname=b passfile=/etc/pass")
        _ = try PostgresOptions(connection: "")
    }

    @Test func credentials() throws {
        let text = """
            -----BEGIN NATS USER JWT-----
            eyJ0eXAi.eyJqdGki.c2ln
            ------END NATS USER JWT------

            -----BEGIN USER NKEY SEED-----
            SUAINVENTED
            ------END USER NKEY SEED------
            """
        _ = try NATSCredentials(SecretBytes(copying: Array(text.utf8)))
        for wrong in ["", "-----BEGIN NATS USER JWT-----", String(text.dropLast(60))] {
            #expect(throws: BrokerError.self) { try NATSCredentials(SecretBytes(copying: Array(wrong.utf8))) }
        }
    }

    @Test func waitsGrow() {
        var backOff = BackOff(from: .milliseconds(100), to: .seconds(1))
        let waits = (0..<6).map { _ in backOff.wait() }
        #expect(waits[0] >= .milliseconds(100) && waits[0] < .milliseconds(126))
        #expect(waits[3] >= .milliseconds(800) && waits[5] <= .milliseconds(1250))
        backOff.reset()
        #expect(backOff.wait() < .milliseconds(126))
    }
}
