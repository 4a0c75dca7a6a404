// SPDX-License-Identifier: Apache-2.0

/// Fields of a query or a form (WHATWG URL Standard, 5).
enum URLForm {
    /// Names and values as `application/x-www-form-urlencoded`; brackets stay readable in names.
    static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(escape($0.name, keeping: "[]"))=\(escape($0.value))" }.joined(separator: "&")
    }

    /// The fields of a text; nil when an escape is broken or the result is not UTF-8.
    static func decode(_ text: some StringProtocol) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            guard let name = unescape(name), let value = unescape(part.dropFirst(part.prefix { $0 != 0x3D }.count + 1))
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    /// Percent-encodes all but unreserved characters (RFC 3986, 2.3).
    static func escape(_ text: String, keeping extra: String = "") -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~\(extra)".utf8)
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if plain.contains(byte) {
                escaped.append(byte)
            } else {
                escaped += "%\(BlobEncoding.hexUpper.encode([byte]))".utf8
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    static func unescape(_ text: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard rest.count >= 2,
                    let value = BlobEncoding.hex.decode(String(decoding: rest.prefix(2), as: UTF8.self))
                else { return nil }
                bytes += value
                rest = rest.dropFirst(2)
            case UInt8(ascii: "+"): bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
