// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import LoyaltyFeed

/// What a fleet has between counter and hub: leaf nodes and TLS.
@Suite(.enabled(if: NATSServer.program != nil, "nats-server is not installed (Debian: nats-server)"))
struct NATSNetworkTests {
    /// Counters of a store talk to a leaf node without a store of its own; the stream is at the hub.
    @Test func throughALeafNode() async throws {
        let port = try LocalServer.freePort()
        let hub = try NATSServer(configuration: "leafnodes { listen: \"127.0.0.1:\(port)\" }")
        let leaf = try NATSServer(
            configuration: """
                leafnodes { reconnect: 1, remotes: [ { url: "nats-leaf://127.0.0.1:\(port)" } ] }
                """, hasJetStream: false)
        // JetStream's API does not pass such a leaf; events and acknowledgements do.
        let direct = try BrokerBench.sink(hub)
        try await BrokerBench.deliver([try BrokerBench.event(31)], to: direct)
        let sink = try through(leaf, .seconds(20))
        let events = try BrokerBench.events(1...20)
        try await BrokerBench.deliver(events, to: sink)
        let again = await sink.deliver(events)
        #expect(again.allSatisfy { $0.detail.hasSuffix("had it already") }, "\(again[0])")
        // The line to the hub breaks: nothing is acknowledged, and all goes through when it is back.
        hub.process.kill()
        let more = try BrokerBench.events(21...30)
        let hasty = try through(leaf, .seconds(1))
        #expect(await hasty.deliver(more).allSatisfy { $0.verdict == .unreachable })
        await hasty.close()
        try hub.process.start()
        try await BrokerBench.deliver(more, to: sink)
        #expect(await direct.deliver(more).allSatisfy { $0.detail.hasSuffix("had it already") })
        await sink.close()
        await direct.close()
    }

    private func through(_ leaf: NATSServer, _ timeout: Duration) throws -> NATSSink {
        NATSSink(
            name: "fleet", options: try NATSOptions(url: leaf.url), subject: "taps.acme.0042.c1", stream: "TAPS",
            timeout: timeout)
    }

    @Test(.enabled(if: Outside.openssl != nil, "openssl is not installed")) func encrypted() async throws {
        let folder = try TemporaryFolder()
        try certificates(in: folder)
        let server = try NATSServer(
            configuration: """
                tls { cert_file: "\(folder.path("server.pem"))", key_file: "\(folder.path("server.key"))" }
                """)
        let url = server.url.replacing("nats://127.0.0.1", with: "tls://localhost")
        for (authority, isRight) in [("ca.pem", true), ("other.pem", false)] {
            var options = try NATSOptions(url: url)
            options.authorityFile = folder.path(authority)
            let sink = NATSSink(
                name: "fleet", options: options, subject: "taps.a.b.c", making: NATSStreamOptions(),
                timeout: .seconds(2))
            let report = try #require(await sink.deliver([try BrokerBench.event(1)]).first)
            #expect(report.verdict == (isRight ? .delivered : .unreachable), "\(report)")
            await sink.close()
        }
        // Without TLS the server lets nobody in.
        let plain = try BrokerBench.sink(server, timeout: .seconds(1))
        #expect(await plain.deliver([try BrokerBench.event(2)]).first?.verdict == .unreachable)
        await plain.close()
    }

    @Test(
        .enabled(if: MosquittoBroker.program != nil, "mosquitto is not installed (Debian: mosquitto)"),
        .enabled(if: Outside.openssl != nil, "openssl is not installed"))
    func encryptedMQTT() async throws {
        let folder = try TemporaryFolder()
        try certificates(in: folder)
        let broker = try MosquittoBroker(
            configuration: """
                certfile \(folder.path("server.pem"))
                keyfile \(folder.path("server.key"))
                allow_anonymous true
                """)
        for (authority, isRight) in [("ca.pem", true), ("other.pem", false)] {
            var options = try MQTTOptions(
                url: "mqtts://localhost:\(broker.process.port)", tenant: "a", store: "b", counter: "c")
            options.authorityFile = folder.path(authority)
            let sink = MQTTSink(name: "shop", options: options, timeout: .seconds(2))
            let report = try #require(await sink.deliver([try BrokerBench.event(1)]).first)
            #expect(report.verdict == (isRight ? .delivered : .unreachable), "\(report)")
            await sink.close()
        }
    }

    /// A certificate for localhost, `server.pem`, that `ca.pem` vouches for and `other.pem` does not.
    private func certificates(in folder: TemporaryFolder) throws {
        let short = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        for name in ["ca", "other"] {
            try Outside.run(
                Outside.openssl,
                ["req", "-x509", "-subj", "/CN=\(name)", "-keyout", "\(name).key", "-out", "\(name).pem"] + short,
                in: folder)
        }
        try Outside.run(
            Outside.openssl,
            ["req", "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"] + short.dropLast(2),
            in: folder)
        try folder.write("names", "subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        try Outside.run(
            Outside.openssl,
            [
                "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
                "2",
                "-extfile", "names", "-out", "server.pem",
            ], in: folder)
    }
}
