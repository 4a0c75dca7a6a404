// SPDX-License-Identifier: Apache-2.0

/// Writes TLVs in their shortest form.
public struct TLVBuilder: Sendable {
    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty builder.
    public init() {}

    /// Appends a primitive object.
    public mutating func append(_ tag: TLVTag, _ value: some Collection<UInt8>) {
        Self.appendHead(tag, count: value.count, to: &bytes)
        bytes += value
    }

    /// Appends a constructed object whose contents `build` writes.
    public mutating func append(_ tag: TLVTag, building build: (inout TLVBuilder) -> Void) {
        append(tag, TLVBuilder.build(build))
    }

    /// The bytes that `build` writes.
    public static func build(_ build: (inout TLVBuilder) -> Void) -> [UInt8] {
        var builder = TLVBuilder()
        build(&builder)
        return builder.bytes
    }

    /// Appends tag and length of an object whose value has `count` bytes.
    package static func appendHead(_ tag: TLVTag, count: Int, to bytes: inout [UInt8]) {
        appendTag(tag, to: &bytes)
        appendLength(count, to: &bytes)
    }

    private static func appendTag(_ tag: TLVTag, to bytes: inout [UInt8]) {
        for index in (0..<tag.byteCount).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: tag.rawValue >> UInt32(index * 8)))
        }
    }

    private static func appendLength(_ length: Int, to bytes: inout [UInt8]) {
        guard length > 127 else { return bytes.append(UInt8(length)) }
        let count = (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
        bytes.append(0x80 | UInt8(count))
        for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: length >> (index * 8))) }
    }
}
