// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value that a template may use.
enum TemplateValue: Hashable, Sendable {
    case text(String)
    /// A number, `true`, an object, …: its JSON text.
    case json(String)

    /// As text, for places that are not JSON.
    var text: String {
        switch self {
        case .text(let text): text
        case .json(let json): json
        }
    }

    /// As a JSON value, quotes included.
    var json: String {
        switch self {
        case .text(let text): "\"\(Self.escaped(text))\""
        case .json(let json): json
        }
    }

    /// Text as it stands between the quotes of a JSON string (RFC 8259, 7).
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{00}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Text with everything but unreserved characters percent-encoded (RFC 3986, 2.3).
    static func percentEncoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}

/// Where a template's text goes: how values are escaped, and which ones cannot stand there.
enum TemplatePlace: Sendable {
    case json
    case form
    case url
    case header

    /// The value as it stands there; nil when it cannot.
    func rendered(_ value: TemplateValue, asJSON: Bool) -> String? {
        switch self {
        case .json where asJSON: return value.json
        case .json: return TemplateValue.escaped(value.text)
        case .form: return TemplateValue.percentEncoded(value.text)
        case .url:
            // A path segment of dots means another path, and an empty one another resource.
            let text = value.text
            return text.isEmpty || text.allSatisfy({ $0 == "." }) ? nil : TemplateValue.percentEncoded(text)
        case .header: return HeaderFields.isValue(value.text) ? value.text : nil
        }
    }

    /// Its name for a message.
    var shown: String {
        switch self {
        case .json, .form: "a body"
        case .url: "a URL"
        case .header: "a header field"
        }
    }
}
