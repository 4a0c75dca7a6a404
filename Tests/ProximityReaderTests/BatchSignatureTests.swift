// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import ProximityReader

@Suite("Signed batches, checked by others")
struct BatchSignatureTests {
    private struct Input: Codable {
        let batch: String
        let root: String
    }

    /// Written from the article alone: chain, then each read, then the batch.
    private static let script = """
        import base64
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        def ok(key, signature, message):
            raw = base64.b64decode(signature); assert len(raw) == 64
            der = utils.encode_dss_signature(int.from_bytes(raw[:32], 'big'), int.from_bytes(raw[32:], 'big'))
            key.verify(der, message.encode(), ec.ECDSA(hashes.SHA256()))
        batch = json.loads(data['batch'])
        leaf = x509.load_der_x509_certificate(base64.b64decode(batch['leafCertificate']))
        middle = [x509.load_der_x509_certificate(base64.b64decode(c)) for c in batch['intermediateCertificate']]
        root = x509.load_pem_x509_certificate(data['root'].encode())
        chain = [leaf] + middle + [root]
        for low, high in zip(chain, chain[1:] + [root]): low.verify_directly_issued_by(high)
        assert batch['count'] == len(batch['payments'])
        for p in batch['payments']:
            ok(leaf.public_key(), p['signature'],
               f"countertop-read-1\\n{p['id']}\\n{p['paymentCardData']}\\n{p['generalCardData']}\\n")
        lines = ''.join(f"{p['id']} {p['signature']}\\n" for p in batch['payments'])
        ok(leaf.public_key(), batch['signature'], f"countertop-batch-1\\n{batch['id']}\\n{batch['count']}\\n{lines}")
        print(json.dumps(batch['count']))
        """

    @Test(
        "python-cryptography accepts chain and signatures, and refuses a changed batch",
        .enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
    func python() async throws {
        let store = try await Bench().store(reads: 3)
        let root = try store.rootCertificate()
        let batch = try await store.fetchStoredPaymentCardReadResultBatch()
        let json = String(decoding: try JSONEncoder().encode(batch), as: UTF8.self)
        #expect(try Outside.python(Self.script, Input(batch: json, root: root), as: Int.self) == 3)
        for (part, other) in [("read-1", "read-7"), ("\"count\":3", "\"count\":2")] {
            let changed = json.replacing(part, with: other)
            #expect(changed != json)
            #expect(throws: Outside.Failed.self) {
                try Outside.python(Self.script, Input(batch: changed, root: root), as: Int.self)
            }
        }
    }

    @Test("The openssl program accepts the chain", .enabled(if: Outside.openssl != nil, "openssl is not installed"))
    func openSSL() async throws {
        let bench = try Bench()
        let store = try await bench.store(reads: 1)
        let batch = try await store.fetchStoredPaymentCardReadResultBatch()
        func pem(_ text: String) throws -> String {
            try X509Certificate(der: Array(try #require(Data(base64Encoded: text)))).pem()
        }
        let leaf = try bench.folder.write("leaf.pem", try pem(batch.leafCertificate))
        let middle = try bench.folder.write("middle.pem", try pem(batch.intermediateCertificate[0]))
        let root = try bench.folder.write("root.pem", try store.rootCertificate())
        let time = String(Int(VirtualTime.start.timeIntervalSince1970))
        try Outside.run(
            Outside.openssl,
            ["verify", "-attime", time, "-x509_strict", "-CAfile", root, "-untrusted", middle, leaf], in: bench.folder)
    }

    @Test("The batch as JSON: Apple's names")
    func json() async throws {
        let batch = try await Bench().store(reads: 1).fetchStoredPaymentCardReadResultBatch()
        let value = try JSONSerialization.jsonObject(with: JSONEncoder().encode(batch))
        let object = try #require(value as? [String: Any])
        #expect(
            Set(object.keys) == ["id", "count", "signature", "intermediateCertificate", "leafCertificate", "payments"])
        let payment = try #require((object["payments"] as? [[String: Any]])?.first)
        #expect(Set(payment.keys) == ["id", "paymentCardData", "generalCardData", "signature"])
        // Another store signs with another key.
        let other = try await Bench().store(reads: 1).fetchStoredPaymentCardReadResultBatch()
        #expect(other.leafCertificate != batch.leafCertificate)
    }
}
