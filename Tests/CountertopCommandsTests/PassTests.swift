// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import Foundation
import ISO7816
import Testing
import WalletCrypto

@Suite struct PassTests {
    /// A signed pass in the folder, changed by `change` before it is packed.
    private func pack(
        _ bench: Bench, message: String = Bench.message, team: String = "TEAM",
        change: (inout [String: [UInt8]]) -> Void = { _ in }
    ) throws {
        let pass = """
            {"formatVersion":1,"passTypeIdentifier":"\(Bench.passID)","serialNumber":"1","teamIdentifier":"TEAM",
            "organizationName":"Example","description":"Club",
            "nfc":{"message":"\(message)","encryptionPublicKey":"\(bench.encryptionPublicKey)"}}
            """
        var files = ["pass.json": Array(pass.utf8), "icon.png": [1, 2, 3]]
        let hashes = files.map { "\"\($0.key)\":\"\(Hex.encode(Digest.sha1($0.value)).lowercased())\"" }
        let manifest = Array("{\(hashes.joined(separator: ","))}".utf8)
        let signer = try P256PrivateKey.generate()
        let certificate = try X509Certificate.issue(
            subject: [("CN", "Club"), ("OU", team), ("UID", Bench.passID)], publicKey: signer.publicKey, issuer: nil,
            issuerKey: signer, notBefore: Date(timeIntervalSinceNow: -60), notAfter: Date(timeIntervalSinceNow: 3_600))
        files["manifest.json"] = manifest
        files["signature"] = try CMS.signDetached(manifest, key: signer, certificate: certificate)
        try bench.write("root.pem", Array(certificate.pem().utf8))
        change(&files)
        try PassPackage(files: files).write(to: bench.path("club.pkpass"))
    }

    private func verdicts(_ bench: Bench, _ extra: String = "--key @key.pem") async throws -> (Int32, [String: String])
    {
        let outcome = await bench.run("verify-pass @club.pkpass --json \(extra)")
        let checks = try #require(try outcome.object()["checks"] as? [[String: Any]])
        #expect(try outcome.object()["ok"] as? Bool == (outcome.status == 0))
        let pairs = checks.map { ($0["id"] as? String ?? "", $0["verdict"] as? String ?? "") }
        return (outcome.status, Dictionary(pairs) { $1 })
    }

    @Test func aGoodPassPasses() async throws {
        let bench = try Bench()
        try pack(bench)
        let (status, verdicts) = try await verdicts(bench)
        #expect(status == 0)
        #expect(verdicts["tap"] == "pass")
        #expect(verdicts["trust"] == "warn")
        let (_, rooted) = try await self.verdicts(bench, "--key @key.pem --root @root.pem")
        #expect(rooted["trust"] == "pass")
        let (keyless, skipped) = try await self.verdicts(bench, "")
        #expect(keyless == 0)
        #expect(skipped["tap"] == "skipped")
    }

    @Test func eachFaultIsFound() async throws {
        let bench = try Bench()
        try pack(bench) { $0["icon.png"] = [9] }
        #expect(try await verdicts(bench).1["manifest"] == "fail")
        try pack(bench) { $0["extra.txt"] = [9] }
        #expect(try await verdicts(bench).1["manifest"] == "fail")
        try pack(bench) { $0["icon.png"] = nil }
        #expect(try await verdicts(bench).1["manifest"] == "fail")
        try pack(bench) { $0["signature"] = [1] }
        #expect(try await verdicts(bench).1["signature"] == "fail")
        try pack(bench) { $0["manifest.json"] = Array("{}".utf8) }
        #expect(try await verdicts(bench).1["signature"] == "fail")
        try pack(bench, team: "OTHER")
        #expect(try await verdicts(bench).1["identity"] == "fail")
        try pack(bench, message: String(repeating: "m", count: 65))
        let (status, long) = try await verdicts(bench)
        #expect(status == 1)
        #expect(long["message"] == "fail")
        try pack(bench)
        let (other, wrongKey) = try await verdicts(bench, "--key @other.pem")
        #expect(other == 1)
        #expect(wrongKey["key"] == "fail")
        #expect(wrongKey["tap"] == "fail")
    }
}
