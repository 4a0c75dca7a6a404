// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import Foundation
internal import InAppProvisioning

/// A conformance report as the tool shows it, and as a file.
struct ConformanceView {
    let report: ConformanceReport
    /// How the flow ended, if there was one flow.
    var outcome: String?
    /// Whether everything that was asked for is there.
    let isOK: Bool

    var json: JSON {
        .object([
            "ok": .bool(isOK), "checks": .array(report.results.map(Self.json)),
            "diagnosis": report.diagnosis.map { .string($0) } ?? .null,
        ])
    }

    private static func json(_ result: ConformanceResult) -> JSON {
        .object([
            "id": .string(result.id), "group": .string(result.check.group.rawValue),
            "verdict": .string(result.verdict.rawValue),
            "text": .string(result.check.rule + (result.evidence.isEmpty ? "" : ": \(result.evidence)")),
        ])
    }

    var text: [String] {
        report.text().split(separator: "\n").map { Printable.text(String($0)) }
            + (outcome.map { ["Outcome: \($0)"] } ?? [])
    }

    /// Shows it; status 1 when something failed.
    func show(_ talk: Talk) throws {
        try talk.result(json: json, text: text)
        if !isOK { throw ToolError.silent(.checkFailed) }
    }
}

/// A file for a report: its form by the name's ending.
struct ReportFile {
    private static let forms: [String: @Sendable (ConformanceReport) -> String] = [
        "json": { $0.json() }, "xml": { $0.junit() }, "txt": { $0.text() },
    ]

    let path: String
    private let form: @Sendable (ConformanceReport) -> String

    /// Says before any work what would be wrong after it.
    init(_ path: String) throws(ToolError) {
        guard let form = Self.forms[URL(filePath: path).pathExtension.lowercased()] else {
            throw ToolError(.usage, "--report takes a name that ends in .json, .xml (JUnit) or .txt")
        }
        try OutputFile.check(path, overwriting: true)
        (self.path, self.form) = (path, form)
    }

    /// Writes it, over an earlier one.
    func write(_ report: ConformanceReport) throws(ToolError) {
        try OutputFile.write(form(report), to: path, overwriting: true)
    }
}
