// SPDX-License-Identifier: Apache-2.0

/// A command in the short notation of command lines: `[CLA]INS[P1P2][:DATA][/LE][=SW]`, after Yubico's `ykman apdu`.
///
/// | text | meaning |
/// | --- | --- |
/// | `A4` | INS alone: CLA, P1 and P2 are 00 |
/// | `80CA` | CLA and INS |
/// | `CA0101:9F22…` | INS P1 P2, then data after the colon |
/// | `80CA0101:…/00` | Le, one byte, or two for extended length |
/// | `00A4040007A0000000031010` | a whole APDU of 4 bytes or more, taken as it is |
/// | `…=6A82` | the status word that must come; `=` alone means 9000 |
public struct APDUShorthand: Hashable, Sendable {
    /// The command.
    public let command: CommandAPDU
    /// The status word that the answer must have, if any.
    public let expectedStatus: StatusWord?

    /// Reads one command; blanks are ignored. Offsets of errors are not meaningful and are 0.
    public init(_ text: some StringProtocol) throws(APDUError) {
        let compact = String(text.filter { !$0.isWhitespace })
        let sides = compact.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        expectedStatus = sides.count == 2 ? try Self.status(sides[1]) : nil
        command = try Self.command(sides.first ?? "")
    }

    private static func status(_ text: Substring) throws(APDUError) -> StatusWord {
        guard !text.isEmpty else { return .success }
        guard let status = StatusWord(hex: text) else {
            throw APDUError(reason: "an expected status is four hex digits, as in =9000", offset: 0)
        }
        return status
    }

    private static func command(_ text: Substring) throws(APDUError) -> CommandAPDU {
        let slashed = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = (slashed.first ?? "").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let head = try hex(parts.first ?? "", "the header")
        if parts.count < 2, slashed.count < 2, head.count >= 4 { return try CommandAPDU(head) }
        let header = try Self.header(head)
        let data = parts.count == 2 ? try hex(parts[1], "the data") : []
        let le = slashed.count == 2 ? try Self.le(slashed[1]) : nil
        return try CommandAPDU(
            cla: header[0], ins: header[1], p1: header[2], p2: header[3], data: data, ne: le?.ne,
            extended: le?.isExtended ?? false)
    }

    /// INS · CLA INS · INS P1 P2 · CLA INS P1 P2.
    private static func header(_ bytes: [UInt8]) throws(APDUError) -> [UInt8] {
        switch bytes.count {
        case 1: [0, bytes[0], 0, 0]
        case 2: [bytes[0], bytes[1], 0, 0]
        case 3: [0] + bytes
        case 4: bytes
        default: throw APDUError(reason: "a header is INS, CLA INS, INS P1 P2 or CLA INS P1 P2", offset: 0)
        }
    }

    private static func le(_ text: Substring) throws(APDUError) -> (ne: Int, isExtended: Bool) {
        let bytes = try hex(text, "Le")
        guard bytes.count == 1 || bytes.count == 2 else {
            throw APDUError(reason: "Le is two or four hex digits, as in /00", offset: 0)
        }
        let value = bytes.reduce(0) { $0 << 8 | Int($1) }
        return (value == 0 ? (bytes.count == 1 ? 256 : 65_536) : value, bytes.count == 2)
    }

    private static func hex(_ text: Substring, _ what: String) throws(APDUError) -> [UInt8] {
        do { return try Hex.decode(text) } catch {
            throw APDUError(reason: "\(what) is not hex: \(error.description)", offset: 0)
        }
    }
}
