// SPDX-License-Identifier: Apache-2.0

/// Judges a recorded flow. A check that cannot be made because an earlier one failed is not verifiable, so that one
/// mistake is one failure.
public enum ConformanceChecker {
    /// The report on a flow.
    public static func report(on flow: RecordedFlow) -> ConformanceReport {
        var findings = Findings()
        for result in flow.observed { findings.add(result) }
        for id in flow.lookedAt.sorted() {
            if let check = ConformanceCheck.named(id) { findings.pass(check) }
        }
        SheetChecks.judge(flow, &findings)
        HandlerChecks.judge(flow, &findings)
        let answer = RequestChecks.judge(flow, &findings)
        guard flow.scheme == .eccV2 else {
            findings.skip([.scheme] + ConformanceCheck.envelopeChecks, "only ECC_V2 is specified in public")
            return ConformanceReport(findings.results)
        }
        let trio = flow.trio ?? answer?.trio
        let opening = EnvelopeChecks.judge(flow, trio, faults: answer?.faults ?? [], &findings)
        let payload = opening?.plaintext.map { PayloadFields($0) }
        if let payload {
            PayloadChecks.judge(flow, payload, &findings)
        } else {
            findings.skip(ConformanceCheck.payloadChecks, "the envelope did not open")
        }
        ActivationChecks.judge(flow, trio, payload, &findings)
        LeakageChecks.judge(flow, trio, payload, &findings)
        return ConformanceReport(findings.results, mistakes: opening?.mistakes ?? [])
    }
}

/// What evidence may show.
enum Evidence {
    /// Length and first byte of a blob.
    static func blob(_ bytes: [UInt8]) -> String {
        "\(bytes.count) bytes" + (bytes.first.map { " beginning with \(BlobEncoding.hexUpper.encode([$0]))" } ?? "")
    }

    /// Member names as they are, when they can be names.
    static func names(_ names: [String]) -> String {
        names.prefix(5).map { name in
            name.utf8.count <= 40 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
                && !name.utf8.contains { (0x30...0x39).contains($0) } ? name : "<a name of \(name.utf8.count) bytes>"
        }.joined(separator: ", ")
    }
}
