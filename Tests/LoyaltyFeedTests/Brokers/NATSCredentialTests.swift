// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import LoyaltyFeed

/// A `.creds` file at a server that trusts an operator (docs.nats.io, "Decentralized JWT Authentication").
@Suite(
    .enabled(if: NATSServer.program != nil, "nats-server is not installed (Debian: nats-server)"),
    .enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
struct NATSCredentialTests {
    private struct Identities: Decodable {
        var configuration: String
        var credentials: String
        var seed: String
    }

    /// Operator, account and user: keys as github.com/nats-io/nkeys has them, tokens as github.com/nats-io/jwt (v2).
    private static let script = #"""
        import base64, time
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        def crc(data):
            value = 0
            for byte in data:
                value ^= byte << 8
                for _ in range(8):
                    value = (value << 1 ^ 0x1021) & 0xFFFF if value & 0x8000 else value << 1
            return value.to_bytes(2, 'little')

        def text(data):
            return base64.b32encode(data + crc(data)).decode().rstrip('=')

        class Key:
            def __init__(self, kind):
                self.kind, self.key = kind, Ed25519PrivateKey.generate()
            @property
            def public(self):
                raw = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
                return text(bytes([self.kind]) + raw)
            @property
            def seed(self):
                head = bytes([0x90 | self.kind >> 5, (self.kind & 31) << 3])
                return text(head + self.key.private_bytes_raw())

        def url64(data):
            return base64.urlsafe_b64encode(data).decode().rstrip('=')

        def token(issuer, subject, name, nats):
            head = url64(json.dumps({'typ': 'JWT', 'alg': 'ed25519-nkey'}).encode())
            claims = {'jti': name, 'iat': int(time.time()), 'iss': issuer.public, 'sub': subject.public,
                      'name': name, 'nats': dict(nats, version=2)}
            signed = head + '.' + url64(json.dumps(claims).encode())
            return signed + '.' + url64(issuer.key.sign(signed.encode()))

        operator, account, system, user = Key(0x70), Key(0x00), Key(0x00), Key(0xA0)
        limits = {name: -1 for name in ('subs', 'data', 'payload', 'imports', 'exports', 'conn', 'leaf',
                                        'mem_storage', 'disk_storage', 'streams', 'consumer')}
        boss = token(operator, operator, 'operator', {'type': 'operator'})
        tenant = token(operator, account, 'acme', {'type': 'account', 'limits': dict(limits, wildcards=True)})
        # JetStream wants an account for the server's own talk.
        own = token(operator, system, 'SYS', {'type': 'account', 'limits': {name: -1 for name in ('subs', 'conn')}})
        accounts = f'{account.public}: {tenant}, {system.public}: {own}'
        rights = {'type': 'user', 'subs': -1, 'data': -1, 'payload': -1,
                  'pub': {'allow': ['taps.acme.0042.>', '$JS.API.>']}, 'sub': {}}
        counter = token(account, user, 'counter', rights)
        print(json.dumps({
            'configuration': f'operator: {boss}\nsystem_account: {system.public}\nresolver: MEMORY\n'
                             f'resolver_preload: {{ {accounts} }}',
            'credentials': f'-----BEGIN NATS USER JWT-----\n{counter}\n------END NATS USER JWT------\n\n'
                           f'-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n',
            'seed': user.seed}))
        """#

    @Test func aUserOfAnOperatorsServer() async throws {
        let identities = try Outside.python(Self.script, ["": ""], as: Identities.self)
        let server = try NATSServer(configuration: identities.configuration)
        for subject in ["taps.acme.0042.c1", "taps.acme.0043.c1"] {
            var options = try NATSOptions(url: server.url)
            options.authentication = .credentials(SecretBytes(copying: Array(identities.credentials.utf8)))
            let sink = NATSSink(
                name: "fleet", options: options, subject: subject, making: NATSStreamOptions(), timeout: .seconds(2))
            let report = try #require(await sink.deliver([try BrokerBench.event(1)]).first)
            // A store's credentials are held to its own subjects.
            #expect(report.verdict == (subject.contains("0042") ? .delivered : .unreachable), "\(report)")
            #expect(!report.detail.contains(identities.seed))
            await sink.close()
        }
        let stranger = try BrokerBench.sink(server, timeout: .seconds(1))
        #expect(await stranger.deliver([try BrokerBench.event(2)]).first?.verdict == .unreachable)
        await stranger.close()
    }
}
