// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging

/// swift-log as lines: text for people, or one JSON object a line for machines.
public struct LogLines: LogHandler {
    /// The form of a line.
    public enum Form: String, Hashable, Sendable, CaseIterable {
        /// `2026-11-21T12:00:00.123Z info countertop.counter: tap kept tap=01J…`
        case text
        /// `{"time":"…","level":"info","label":"…","message":"…","tap":"01J…"}`
        case json
    }

    /// The least that is said.
    public var logLevel: Logger.Level
    /// What stands in each line.
    public var metadata: Logger.Metadata = [:]
    private let label: String
    private let form: Form
    private let now: @Sendable () -> Date
    private let write: @Sendable (String) -> Void

    /// A handler.
    ///
    /// - Parameters:
    ///   - label: the logger's.
    ///   - level: the least that is said.
    ///   - form: text or JSON.
    ///   - now: the wall clock.
    ///   - write: takes a line without its line feed; from any thread, several at a time.
    public init(
        label: String, level: Logger.Level, form: Form, now: @escaping @Sendable () -> Date = { Date() },
        write: @escaping @Sendable (String) -> Void
    ) {
        (self.label, logLevel, self.form, self.now, self.write) = (label, level, form, now, write)
    }

    /// One item of what stands in each line.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    public func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let items = all.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
        let time = Self.time(now())
        switch form {
        case .text:
            let rest = items.map { " \($0.0)=\(Self.quoted($0.1))" }.joined()
            write("\(time) \(event.level) \(label): \(Self.flat("\(event.message)"))\(rest)")
        case .json:
            let first = [
                ("time", time), ("level", "\(event.level)"), ("label", label), ("message", "\(event.message)"),
            ]
            let names = Set(first.map(\.0))
            let members = first + items.map { (names.contains($0.0) ? "_" + $0.0 : $0.0, $0.1) }
            write("{" + members.map { "\(Self.json($0.0)):\(Self.json($0.1))" }.joined(separator: ",") + "}")
        }
    }

    /// `2026-11-21T12:00:00.123Z`.
    static func time(_ date: Date) -> String {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded(.down))
        let whole = Date(timeIntervalSince1970: Double(milliseconds / 1000))
        let rest = String(milliseconds % 1000)
        let text = whole.formatted(.iso8601).dropLast()
        return "\(text).\(String(repeating: "0", count: max(0, 3 - rest.count)))\(rest)Z"
    }

    /// On one line, whatever it held.
    private static func flat(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" }
        return isPlain ? flat(text) : json(text)
    }

    /// A JSON string (RFC 8259, 7).
    private static func json(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
