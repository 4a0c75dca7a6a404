// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// Objects as far as bytes make sense; damaged and cut data is read up to the damage.
package struct LooseTLV {
    package struct Leaf {
        let tag: TLVTag
        package let value: Range<Int>
    }

    package private(set) var leaves: [Leaf] = []
    /// Ranges that are not, or not wholly, objects.
    package private(set) var loose: [Range<Int>] = []
    private let bytes: [UInt8]

    /// Reads the objects of a range.
    package init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        if !walk(range, depth: 0) { loose.append(range) }
    }

    /// Whether all of the range is objects.
    private mutating func walk(_ range: Range<Int>, depth: Int) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound {
            guard bytes[position] != 0 else {
                position += 1
                continue
            }
            guard let (tag, start, length) = head(at: position, end: range.upperBound) else { return false }
            let isWhole = length <= range.upperBound - start
            let value = start..<(isWhole ? start + length : range.upperBound)
            if tag.isConstructed, depth < TLVTree.defaultMaximumDepth {
                if !walk(value, depth: depth + 1), isWhole { loose.append(value) }
            } else {
                leaves.append(Leaf(tag: tag, value: value))
            }
            guard isWhole else { return false }
            position = value.upperBound
        }
        return true
    }

    private func head(at position: Int, end: Int) -> (tag: TLVTag, start: Int, length: Int)? {
        var next = position + 1
        var tag = UInt32(bytes[position])
        if tag & 0x1F == 0x1F {
            repeat {
                guard next < end, next - position < 4 else { return nil }
                tag = tag << 8 | UInt32(bytes[next])
                next += 1
            } while bytes[next - 1] & 0x80 != 0
        }
        guard next < end else { return nil }
        let first = Int(bytes[next])
        next += 1
        guard first > 127 else { return (TLVTag(rawValue: tag), next, first) }
        let count = first & 0x7F
        guard (1...3).contains(count), count <= end - next else { return nil }
        let length = bytes[next..<next + count].reduce(0) { $0 << 8 | Int($1) }
        return (TLVTag(rawValue: tag), next + count, length)
    }
}
