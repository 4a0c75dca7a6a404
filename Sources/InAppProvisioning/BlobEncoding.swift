// SPDX-License-Identifier: Apache-2.0

import ISO7816

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How bytes travel in text.
public enum BlobEncoding: String, Hashable, Sendable, CaseIterable {
    /// Base64 with padding (RFC 4648, 4).
    case base64
    /// Base64 for URLs, without padding (RFC 4648, 5).
    case base64url
    /// Hex, written in lower case, read in either.
    case hex
    /// Hex, written in upper case, read in either.
    case hexUpper
    /// A `CERTIFICATE` block with its header lines (RFC 7468). Certificates only.
    case pem
    /// The text itself, such as an MBPAC string.
    case text

    /// The text of `bytes`.
    public func encode(_ bytes: [UInt8]) -> String {
        switch self {
        case .base64: Data(bytes).base64EncodedString()
        case .base64url:
            String(
                Data(bytes).base64EncodedString().compactMap { character in
                    switch character {
                    case "+": "-"
                    case "/": "_"
                    case "=": nil
                    default: character
                    }
                } as [Character])
        case .hex: Hex.encode(bytes).lowercased()
        case .hexUpper: Hex.encode(bytes)
        case .pem: Self.pem(bytes)
        case .text: String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The bytes of `text`, or nil when it is not written like this. An empty text has no bytes in any form.
    public func decode(_ text: String) -> [UInt8]? {
        switch self {
        case .base64: Self.base64(text)
        case .base64url:
            text.utf8.contains { "+/".utf8.contains($0) }
                ? nil
                : Self.base64(
                    String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
                        + String(repeating: "=", count: text.hasSuffix("=") ? 0 : (4 - text.utf8.count % 4) % 4))
        case .hex, .hexUpper: text.utf8.contains { !Self.isHexDigit($0) } ? nil : try? Hex.decode(text)
        case .pem: Self.certificate(text)
        case .text: Array(text.utf8)
        }
    }

    /// The forms that `text` could be in, for hints: the stricter form first.
    static func guesses(_ text: String) -> [BlobEncoding] {
        guard !text.isEmpty else { return [] }
        return [.pem, .hex, .base64, .base64url].filter { $0.decode(text) != nil }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }

    private static func base64(_ text: String) -> [UInt8]? {
        text.utf8.count.isMultiple(of: 4) ? Data(base64Encoded: text).map { Array($0) } : nil
    }

    private static func pem(_ bytes: [UInt8]) -> String {
        let lines = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }

    private static func certificate(_ text: String) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }
        guard lines.first == "-----BEGIN CERTIFICATE-----", lines.last == "-----END CERTIFICATE-----" else {
            return nil
        }
        let body = lines.dropFirst().dropLast().joined()
        return body.isEmpty ? nil : base64(body)
    }
}

extension String {
    /// Without blanks at either end.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
