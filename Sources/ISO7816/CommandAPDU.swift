// SPDX-License-Identifier: Apache-2.0

/// Why bytes or fields are not an APDU.
public struct APDUError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, for people.
    public let reason: String
    /// Bytes from the start of the APDU to the field that is wrong.
    public let offset: Int

    /// The reason with its offset.
    public var description: String { "APDU: \(reason) at offset \(offset)" }
}

/// A command APDU: validated bytes, of which the fields are views (ISO/IEC 7816-4, 5.1).
///
/// 4 to 65,544 bytes. All four cases in short and extended form:
///
/// | case | short | extended |
/// | --- | --- | --- |
/// | 1 | header | - |
/// | 2 | header, Le | header, 00, Le (2) |
/// | 3 | header, Lc, data | header, 00, Lc (2), data |
/// | 4 | header, Lc, data, Le | header, 00, Lc (2), data, Le (2) |
public struct CommandAPDU: Sendable {
    /// The command as it goes to the card.
    public let bytes: [UInt8]
    /// Where the data field stands in ``bytes``; empty for cases 1 and 2.
    public let dataRange: Range<Int>
    /// Ne, the number of response bytes that Le asks for: 1 to 256 short, 1 to 65,536 extended; nil without Le.
    public let ne: Int?
    /// Whether the length fields are in extended form.
    public let isExtended: Bool

    /// The class byte.
    public var cla: UInt8 { bytes[0] }
    /// The instruction byte.
    public var ins: UInt8 { bytes[1] }
    /// The first parameter byte.
    public var p1: UInt8 { bytes[2] }
    /// The second parameter byte.
    public var p2: UInt8 { bytes[3] }
    /// The data field, 0 to 65,535 bytes; a view of ``bytes``.
    public var data: ArraySlice<UInt8> { bytes[dataRange] }
    /// The case, 1 to 4, of ISO/IEC 7816-3, 12.1.1.
    public var apduCase: Int { (dataRange.isEmpty ? 1 : 3) + (ne == nil ? 0 : 1) }

    /// Reads a command; every byte must belong to it.
    public init(_ bytes: [UInt8]) throws(APDUError) {
        guard bytes.count >= 4 else {
            throw APDUError(reason: "a command has at least 4 bytes, not \(bytes.count)", offset: bytes.count)
        }
        let lengths = try Lengths(bytes)
        self.bytes = bytes
        (dataRange, ne, isExtended) = (lengths.data, lengths.ne, lengths.isExtended)
    }

    /// Builds a command, in short form when its lengths allow.
    ///
    /// - Parameters:
    ///   - cla: the class byte.
    ///   - ins: the instruction byte.
    ///   - p1: the first parameter byte.
    ///   - p2: the second parameter byte.
    ///   - data: 0 to 65,535 bytes.
    ///   - ne: how many response bytes to ask for, 1 to 65,536; 256 is Le `00` in short form. Nil sends no Le.
    ///   - extended: asks for the extended form even where the short one would do.
    public init(
        cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, data: some Collection<UInt8> = [UInt8](), ne: Int? = nil,
        extended: Bool = false
    ) throws(APDUError) {
        guard data.count <= 65_535 else { throw APDUError(reason: "more than 65,535 data bytes", offset: 4) }
        guard (1...65_536).contains(ne ?? 1) else { throw APDUError(reason: "Ne is not 1 to 65,536", offset: 4) }
        let isExtended = (extended && (ne != nil || !data.isEmpty)) || data.count > 255 || (ne ?? 0) > 256
        var bytes = [cla, ins, p1, p2]
        func append(_ length: Int) {
            if isExtended { bytes.append(UInt8(truncatingIfNeeded: length >> 8)) }
            bytes.append(UInt8(truncatingIfNeeded: length))
        }
        if isExtended { bytes.append(0) }
        if !data.isEmpty { append(data.count) }
        dataRange = bytes.count..<bytes.count + data.count
        bytes += data
        if let ne { append(ne) }
        (self.bytes, self.ne, self.isExtended) = (bytes, ne, isExtended)
    }

    /// SELECT by DF name, first or only occurrence, FCI returned: `00 A4 04 00 Lc AID 00` (ISO/IEC 7816-4, 11.2.2).
    public static func select(_ aid: AID) -> CommandAPDU {
        CommandAPDU(shortCla: 0x00, ins: 0xA4, p1: 0x04, p2: 0x00, data: aid.bytes, ne: 256)
    }

    /// A command whose data is known to be at most 255 bytes and Ne at most 256, so that nothing can fail.
    package init(shortCla cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, data: [UInt8], ne: Int?) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 6)
        bytes += [cla, ins, p1, p2]
        if !data.isEmpty { bytes.append(UInt8(truncatingIfNeeded: data.count)) }
        dataRange = bytes.count..<bytes.count + data.count
        bytes += data
        if let ne { bytes.append(UInt8(truncatingIfNeeded: ne)) }
        (self.bytes, self.ne, isExtended) = (bytes, ne, false)
    }
}

extension CommandAPDU: Hashable {
    /// The bytes alone: a command read and the same command built are equal.
    public static func == (a: CommandAPDU, b: CommandAPDU) -> Bool { a.bytes == b.bytes }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

/// The length fields of a command (ISO/IEC 7816-3, 12.1.3).
private struct Lengths {
    var data: Range<Int>
    var ne: Int?
    var isExtended: Bool

    init(_ bytes: [UInt8]) throws(APDUError) {
        let count = bytes.count
        switch count {
        case 4: self.init(data: 4..<4, ne: nil, isExtended: false)
        case 5: self.init(data: 5..<5, ne: Self.short(bytes[4]), isExtended: false)
        case _ where bytes[4] != 0: try self.init(short: bytes)
        case 6: throw APDUError(reason: "an extended length is two bytes", offset: 5)
        case 7: self.init(data: 7..<7, ne: Self.extended(bytes[5...]), isExtended: true)
        default: try self.init(extended: bytes)
        }
    }

    private init(data: Range<Int>, ne: Int?, isExtended: Bool) {
        (self.data, self.ne, self.isExtended) = (data, ne, isExtended)
    }

    private init(short bytes: [UInt8]) throws(APDUError) {
        let end = 5 + Int(bytes[4])
        guard bytes.count == end || bytes.count == end + 1 else {
            throw APDUError(reason: "Lc is \(bytes[4]) but \(bytes.count - 5) bytes follow", offset: 4)
        }
        self.init(data: 5..<end, ne: bytes.count == end ? nil : Self.short(bytes[end]), isExtended: false)
    }

    private init(extended bytes: [UInt8]) throws(APDUError) {
        let lc = Int(bytes[5]) << 8 | Int(bytes[6])
        let end = 7 + lc
        guard lc > 0 else { throw APDUError(reason: "an extended Lc of 0 with data after it", offset: 5) }
        guard bytes.count == end || bytes.count == end + 2 else {
            throw APDUError(reason: "Lc is \(lc) but \(bytes.count - 7) bytes follow", offset: 5)
        }
        self.init(data: 7..<end, ne: bytes.count == end ? nil : Self.extended(bytes[end...]), isExtended: true)
    }

    private static func short(_ le: UInt8) -> Int { le == 0 ? 256 : Int(le) }

    private static func extended(_ le: ArraySlice<UInt8>) -> Int {
        let value = le.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        return value == 0 ? 65_536 : value
    }
}
