// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

extension ConformanceReport {
    /// A report from the text that ``json()`` makes, such as one that another process wrote. Checks that this version
    /// does not know are kept, with the texts that stand beside them.
    /// - Throws: `invalidJSON`, or `invalidResponse` when it is no report.
    public init(json bytes: [UInt8]) throws(ProvisioningError) {
        let document = try JSONValue(reading: bytes)
        guard let checks = document["checks"]?.elements else {
            throw ProvisioningError(.invalidResponse, "The report has no list \"checks\"")
        }
        var results: [ConformanceResult] = []
        for (index, value) in checks.enumerated() {
            guard let id = value["id"]?.text, let word = value["verdict"]?.text,
                let verdict = ConformanceVerdict(rawValue: word)
            else { throw ProvisioningError(.invalidResponse, "checks[\(index)] has no id or no verdict that is known") }
            let check =
                ConformanceCheck.named(id)
                ?? ConformanceCheck(
                    id, value["text"]?.text ?? id, .fail, source: value["source"]?.text ?? "unknown",
                    symptom: value["symptom"]?.text ?? "unknown")
            results.append(ConformanceResult(check, verdict, value["evidence"]?.text ?? ""))
        }
        let names = document["diagnosis"]?.text?.split(separator: "+").map(String.init) ?? []
        self.init(results, mistakes: names.compactMap { name in EnvelopeMistake.all.first { $0.id == name } })
    }
}
