// SPDX-License-Identifier: Apache-2.0

/// Group A.
enum ActivationChecks {
    static func judge(
        _ flow: RecordedFlow, _ trio: ProvisioningTrio?, _ payload: PayloadFields?, _ findings: inout Findings
    ) {
        defer { findings.skip(ConformanceCheck.activationChecks, "not of this format, or without its test key") }
        guard let data = trio?.activationData, !data.isEmpty else {
            return findings.skip(ConformanceCheck.activationChecks, "there are no activation data")
        }
        guard findings.verdict(.encoding) != .fail else {
            return findings.skip(ConformanceCheck.activationChecks, "the blobs are not decoded")
        }
        if let inner = EnvelopeVariants.base64(data) ?? EnvelopeVariants.hex(data),
            case let format = ActivationFormat(inner), !format.isOpaque
        {
            findings.violate(.activationPlain, "text that decodes to \(format.name)")
            return findings.skip(ConformanceCheck.activationChecks, "the value is encoded")
        }
        findings.pass(.activationPlain)
        let format = ActivationFormat(data)
        switch format {
        case .visa(let block):
            findings.pass(.activationFormat, format.name)
            judge(flow, block, &findings)
        case .mastercard(let value):
            findings.pass(.activationFormat, format.name)
            judge(flow, value, payload, &findings)
        case .opaque:
            if let fault = ActivationFormat.fault(in: data) { findings.violate(.activationFormat, fault) }
            findings.skip([.activationFormat], "\(data.count) bytes of an unknown layout, passed on untouched")
        }
    }

    private static func judge(_ flow: RecordedFlow, _ block: VisaBlock, _ findings: inout Findings) {
        guard let key = flow.activationKeys.visa else { return }
        guard let fields = try? block.open(with: key) else {
            findings.violate(.activationOpens, "\(block.ciphertext.count) bytes")
            return
        }
        findings.pass(.activationOpens)
        let nonce = fields["nonce"].flatMap { BlobEncoding.hex.decode($0) }
        findings.expect(
            nonce == flow.request.nonce, .activationNonce, nonce == nil ? "no nonce in hex" : "another nonce")
        let code = fields["authcode"] ?? ""
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        findings.expect(
            code.utf8.count == 6 && code.utf8.allSatisfy { letters.contains($0) }, .authorizationCode,
            "\(code.utf8.count) characters")
    }

    private static func judge(
        _ flow: RecordedFlow, _ value: AuthenticationValue, _ payload: PayloadFields?, _ findings: inout Findings
    ) {
        if let until = value.validUntil { findings.expect(until > flow.date, .valueInTime, "it has run out") }
        let text = payload?.texts ?? [:]
        let inside = try? CardDetails(
            primaryAccountNumber: text["primaryAccountNumber"] ?? "", expiration: text["expiration"] ?? "",
            name: text["name"] ?? "")
        guard let modulus = flow.activationKeys.mastercardModulus, let card = inside ?? flow.card else { return }
        findings.expect(
            value.isSigned(for: card, modulus: modulus, exponent: flow.activationKeys.mastercardExponent),
            .valueSignature, "another key, or another card or expiration")
    }
}

extension ActivationFormat {
    var isOpaque: Bool { if case .opaque = self { true } else { false } }
}
