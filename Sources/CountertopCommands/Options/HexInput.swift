// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// Hex from an argument or, for `-`, from standard input.
enum HexInput {
    static func bytes(_ argument: String, _ console: Console) throws -> [UInt8] {
        let text = argument == "-" ? String(decoding: try console.readInput(), as: UTF8.self) : argument
        let bytes: [UInt8]
        do { bytes = try Hex.decode(text) } catch {
            throw ToolError(
                .data, code: "invalidHex", error.description, hint: "give two hex digits for each byte, such as 9F27")
        }
        guard !bytes.isEmpty else { throw ToolError(.data, code: "invalidHex", "there is no hex to read") }
        return bytes
    }
}
