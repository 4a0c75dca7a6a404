// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

extension ConformanceReport {
    private static let marks: [ConformanceVerdict: String] = [
        .pass: "pass", .fail: "FAIL", .warn: "warn", .notVerifiable: "-",
    ]

    /// For people: what failed with its likely symptom, then everything in a list.
    public func text() -> String {
        var lines: [String] = []
        for group in ConformanceGroup.allCases {
            lines.append("\(group.rawValue)  \(group.title)")
            for result in results where result.check.group == group { lines += Self.lines(result) }
        }
        for mistake in mistakes { lines.append("Diagnosis: \(mistake.id): \(mistake.text)") }
        let counts = ConformanceVerdict.allCases.map { verdict in
            "\(results.count { $0.verdict == verdict }) \(verdict == .notVerifiable ? "not verifiable" : verdict.rawValue)"
        }
        lines += [counts.joined(separator: ", "), Self.banner]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ result: ConformanceResult) -> [String] {
        let mark = (marks[result.verdict] ?? "").padded(to: 4)
        var lines = ["  \(mark)  \(result.id.padded(to: 24)) \(result.check.rule)"]
        let indent = String(repeating: " ", count: 33)
        if !result.evidence.isEmpty { lines.append(indent + result.evidence) }
        if result.verdict == .fail || result.verdict == .warn {
            lines.append(indent + "on a phone: \(result.check.symptom); source: \(result.check.source)")
        }
        return lines
    }

    /// For programs: `ok`, `checks`, `diagnosis`, `banner`.
    public func json() -> String {
        let checks = results.map { result in
            JSONValue.object([
                .init("id", .string(result.id)), .init("group", .string(result.check.group.rawValue)),
                .init("verdict", .string(result.verdict.rawValue)), .init("text", .string(result.check.rule)),
                .init("evidence", .string(result.evidence)), .init("source", .string(result.check.source)),
                .init("symptom", .string(result.check.symptom)),
            ])
        }
        return JSONValue.object([
            .init("ok", .bool(isOK)), .init("checks", .array(checks)),
            .init("diagnosis", diagnosis.map { .string($0) } ?? .null), .init("banner", .string(Self.banner)),
        ]).lines() + "\n"
    }

    /// For CI: JUnit's XML, one suite for each group. Warnings pass, with their text beside them.
    public func junit() -> String {
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        lines.append("<testsuites name=\"in-app provisioning\" \(Self.counts(results))>")
        for group in ConformanceGroup.allCases {
            let mine = results.filter { $0.check.group == group }
            lines.append("  <testsuite name=\"\(group.rawValue) \(group.title.xml)\" \(Self.counts(mine))>")
            lines += mine.flatMap(Self.testCase)
            lines.append("  </testsuite>")
        }
        lines += ["  <!-- \(Self.banner.xml) -->", "</testsuites>"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func counts(_ results: [ConformanceResult]) -> String {
        let (failed, skipped) = (
            results.count { $0.verdict == .fail }, results.count { $0.verdict == .notVerifiable }
        )
        return "tests=\"\(results.count)\" failures=\"\(failed)\" errors=\"0\" skipped=\"\(skipped)\""
    }

    private static func testCase(_ result: ConformanceResult) -> [String] {
        let check = result.check
        let start = "    <testcase classname=\"provisioning.\(check.group.rawValue)\" name=\"\(check.id.xml)\""
        let about = "\(check.rule). \(result.evidence) On a phone: \(check.symptom). Source: \(check.source)."
        let inner: String =
            switch result.verdict {
            case .pass: ""
            case .fail: "<failure message=\"\(check.rule.xml)\">\(about.xml)</failure>"
            case .warn: "<system-out>warning: \(about.xml)</system-out>"
            case .notVerifiable: "<skipped message=\"\(result.evidence.xml)\"/>"
            }
        return inner.isEmpty ? ["\(start)/>"] : ["\(start)>", "      \(inner)", "    </testcase>"]
    }
}

extension String {
    /// With blanks at the end, so that columns stand under each other.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// As text or attribute of XML 1.0, without characters that it cannot have.
    fileprivate var xml: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
