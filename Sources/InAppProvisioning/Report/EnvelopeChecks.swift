// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

/// Group E.
enum EnvelopeChecks {
    /// Which check a named mistake belongs to, by the beginning of its name.
    private static let owners: [(prefix: String, check: ConformanceCheck)] = [
        ("still-", .encoding), ("base64-", .encoding), ("hex-", .encoding), ("swapped", .encoding),
        ("key-", .keyForm), ("wrong-certificate", .rightLeaf), ("kdf-", .derivation), ("partyv-", .derivation),
        ("iv-", .iv), ("tag-", .iv),
    ]

    static func judge(
        _ flow: RecordedFlow, _ trio: ProvisioningTrio?, faults: [String], _ findings: inout Findings
    ) -> EnvelopeOpening? {
        guard let trio else {
            findings.skip(ConformanceCheck.envelopeChecks, "there is no answer to open")
            return nil
        }
        let names = ["encryptedPassData", "activationData", "ephemeralPublicKey"]
        let missing = zip(names, trio.blobs).filter { $0.1.isEmpty }.map(\.0)
        guard missing.isEmpty else {
            let all = missing.count == 3
            if all, flow.handler != nil { findings.violate(.requestNotEmpty, "all three are empty: the app gave up") }
            if !all || flow.handler == nil {
                findings.violate(.blobsPresent, "empty: \(missing.joined(separator: ", "))")
            }
            findings.skip(ConformanceCheck.envelopeChecks, "a blob is missing")
            return nil
        }
        if flow.handler != nil { findings.pass(.requestNotEmpty) }
        let lengths = zip(names, trio.blobs).map { "\($0) \($1.count) bytes" }
        findings.pass(.blobsPresent, lengths.joined(separator: ", "))
        findings.expect(
            !flow.earlierKeys.contains(trio.ephemeralPublicKey), .keyFresh, "an earlier answer had this key")
        let opening = EnvelopeDiagnosis.open(trio, for: flow.identity)
        for mistake in opening.mistakes {
            if let owner = owners.first(where: { mistake.id.hasPrefix($0.prefix) }) {
                findings.violate(owner.check, "\(mistake.id): \(mistake.text)")
            }
        }
        if let fault = faults.first { findings.violate(.encoding, fault) }
        switch opening {
        case .opened, .openedDespite: passTheRest(trio, opening, &findings)
        case .closed(let error): judgeClosed(trio, error, &findings)
        }
        return opening
    }

    private static func passTheRest(_ trio: ProvisioningTrio, _ opening: EnvelopeOpening, _ findings: inout Findings) {
        let despite = opening.diagnosis.map { "once read with \($0)" } ?? ""
        for check in ConformanceCheck.envelopeChecks where findings.verdict(check) == nil {
            switch check {
            case .keyForm: findings.pass(check, despite.isEmpty ? Evidence.blob(trio.ephemeralPublicKey) : despite)
            default: findings.pass(check, despite)
            }
        }
    }

    /// Nothing that is known opens it: say what can be said of the blobs' form.
    private static func judgeClosed(
        _ trio: ProvisioningTrio, _ error: ProvisioningError, _ findings: inout Findings
    ) {
        let key = trio.ephemeralPublicKey
        if findings.verdict(.encoding) == nil {
            if EnvelopeVariants.hex(key) != nil || EnvelopeVariants.base64(key) != nil {
                findings.violate(.encoding, "the ephemeral key is text, \(key.count) characters")
            } else {
                findings.pass(.encoding)
            }
        }
        let isPoint = key.count == ECCv2.pointCount && (try? P256PublicKey(x963: key)) != nil
        if isPoint {
            findings.pass(.keyForm, Evidence.blob(key))
        } else if findings.verdict(.encoding) == .pass {
            findings.violate(.keyForm, Evidence.blob(key) + (key.count == 65 ? ", not on the curve" : ""))
        }
        if isPoint {
            findings.violate(.opens, error.reason + ", and none of the known mistakes explains it")
        }
        findings.skip(ConformanceCheck.envelopeChecks, "the envelope did not open")
    }
}
