// SPDX-License-Identifier: Apache-2.0

/// Group L.
enum LeakageChecks {
    static func judge(
        _ flow: RecordedFlow, _ trio: ProvisioningTrio?, _ payload: PayloadFields?, _ findings: inout Findings
    ) {
        let numbers = [flow.card?.primaryAccountNumber, payload?.texts["primaryAccountNumber"]]
            .compactMap { $0 }.filter { $0.utf8.count >= CardNumber.lengths.lowerBound }
        if let sent = flow.sent {
            let target = URLForm.unescape(sent.target.utf8) ?? sent.target
            findings.expect(!holds(target, numbers), .numberInURL, "in the request's URL")
            let oneTime = forms(flow.request.nonce) + forms(flow.request.nonceSignature)
            findings.expect(
                !holds(target, oneTime), .nonceInURL,
                flow.profile?.putsNonceInURL == true ? "the profile has it so" : "in the request's URL")
            let bodies = [sent.body, flow.received?.body ?? []].map { String(decoding: $0, as: UTF8.self) }
            findings.expect(!bodies.contains { holds($0, numbers) }, .numberInTraffic, "in a body")
        }
        guard !flow.texts.isEmpty else { return }
        let blobs = trio.map { [$0.encryptedPassData, $0.activationData] } ?? []
        let secrets = numbers + (blobs + [flow.request.nonceSignature]).flatMap(forms)
        let leaks = flow.texts.filter { holds($0.text, secrets) }.map(\.name)
        findings.expect(leaks.isEmpty, .secretsInText, "in \(leaks.joined(separator: ", "))")
    }

    /// How bytes may stand in a text. What is shorter than a nonce is there by chance.
    private static func forms(_ bytes: [UInt8]) -> [String] {
        guard bytes.count >= WalletIdentity.nonceCount else { return [] }
        return [.base64, .base64url, .hex, .hexUpper].map { (encoding: BlobEncoding) in encoding.encode(bytes) }
    }

    private static func holds(_ text: String, _ secrets: [String]) -> Bool {
        let utf8 = Array(text.utf8)
        return secrets.contains { secret in !secret.isEmpty && utf8.firstRange(of: Array(secret.utf8)) != nil }
    }
}
