// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ISO7816

/// Hex from an argument or, for `-`, from standard input.
enum HexInput {
    static func bytes(_ argument: String, _ console: Console, isBase64: Bool = false) throws -> [UInt8] {
        let text = argument == "-" ? String(decoding: try console.readInput(), as: UTF8.self) : argument
        guard !isBase64 else { return try base64(text) }
        let bytes: [UInt8]
        do { bytes = try Hex.decode(text) } catch {
            throw ToolError(
                .data, code: "invalidHex", error.description, hint: "give two hex digits for each byte, such as 9F27")
        }
        guard !bytes.isEmpty else { throw ToolError(.data, code: "invalidHex", "there is no hex to read") }
        return bytes
    }

    private static func base64(_ text: String) throws(ToolError) -> [UInt8] {
        let text = text.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: text) else {
            throw ToolError(.data, code: "invalidBase64", "this is not Base64")
        }
        guard !data.isEmpty else { throw ToolError(.data, code: "invalidBase64", "there is no Base64 to read") }
        return Array(data)
    }
}
