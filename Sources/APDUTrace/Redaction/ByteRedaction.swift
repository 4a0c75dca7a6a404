// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import ISO7816

/// What is found while bytes are redacted, to be looked for everywhere else.
struct KnownSecrets: Sendable, Hashable {
    /// Account numbers as digit values.
    var accounts: Set<[UInt8]> = []
    /// Names, upper case, without padding.
    var names: Set<[UInt8]> = []
    /// Cryptograms, signatures, certificates: long enough to be nothing else.
    var values: [[UInt8]: [UInt8]] = [:]
}

/// What the bytes to redact are.
enum DataRole: Sendable {
    /// The answer to a command with this instruction and, for GET DATA, the tag asked for.
    case answer(ins: UInt8, asked: TLVTag?)
    /// The data of a command with this instruction.
    case command(ins: UInt8)
    /// Anything.
    case unknown
}

/// Redacts a run of bytes; its length stays.
struct ByteRedaction {
    let values: ValueRedaction
    /// Data object lists that the card gave, by their tags.
    let lists: [TLVTag: [UInt8]]
    /// What was found.
    private(set) var found = KnownSecrets()

    init(values: ValueRedaction, lists: [TLVTag: [UInt8]] = [:]) { (self.values, self.lists) = (values, lists) }

    /// Again and again until nothing changes, so that doing it twice is doing it once.
    mutating func redacted(_ bytes: [UInt8], _ role: DataRole) -> [UInt8] {
        var current = bytes
        for _ in 0..<8 {
            let next = once(current, role)
            if next == current { return current }
            current = next
        }
        return bytes.map { _ in 0 }
    }

    private mutating func once(_ bytes: [UInt8], _ role: DataRole) -> [UInt8] {
        var bytes = bytes
        switch role {
        case .command(0x20), .command(0x24), .command(0x2C): return Self.pin(bytes)
        case .command(0xAE):
            if let whole = fields(&bytes, 0..<bytes.count, of: [0x8C, 0x8D]), whole { return bytes }
        case .command(0x88):
            if let whole = fields(&bytes, 0..<bytes.count, of: [0x9F49]), whole { return bytes }
        case .answer(_, let asked?):
            // Some cards answer GET DATA with the bare value.
            if let row = SensitiveObjects.row(asked), !bytes.starts(with: asked.bytes) {
                replace(&bytes, 0..<bytes.count, row)
                return bytes
            }
        default: break
        }
        objects(&bytes, role)
        return bytes
    }

    /// A PIN block keeps its form byte (EMV Book 3, 6.5.12).
    private static func pin(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count == 8, bytes[0] >> 4 == 2 else { return bytes.map { _ in 0 } }
        var nibbles = Nibbles(bytes)
        for index in 2..<16 where nibbles[index] <= 9 { nibbles[index] = 0 }
        return nibbles.bytes
    }

    // MARK: objects

    private mutating func objects(_ bytes: inout [UInt8], _ role: DataRole) {
        let tree = LooseTLV(bytes, in: 0..<bytes.count)
        for leaf in tree.leaves { self.leaf(&bytes, leaf, role) }
        for range in tree.loose { unstructured(&bytes, range) }
    }

    private mutating func leaf(_ bytes: inout [UInt8], _ leaf: LooseTLV.Leaf, _ role: DataRole) {
        if let row = SensitiveObjects.row(leaf.tag) { return replace(&bytes, leaf.value, row) }
        switch (leaf.tag, role) {
        case (0x80, .answer(let ins, _)):
            if format1(&bytes, leaf.value, ins) { return }
        case (0x83, .command(0xA8)):
            if let whole = fields(&bytes, leaf.value, of: [0x9F38]), whole { return }
        case (0x94, _) where Self.isFileLocator(bytes[leaf.value]): return
        default: break
        }
        let isText =
            SensitiveObjects.texts.contains(leaf.tag) && bytes[leaf.value].allSatisfy { (0x20...0x7E).contains($0) }
        if !isText { numbers(&bytes, leaf.value) }
        characters(&bytes, leaf.value)
    }

    /// Places of a format 1 answer (EMV Book 3, 6.5.5.4, 6.5.8.4, 6.5.9.4); false where it is something else.
    private mutating func format1(_ bytes: inout [UInt8], _ range: Range<Int>, _ ins: UInt8) -> Bool {
        switch ins {
        case 0xA8:
            return range.count >= 2 && Self.isFileLocator(bytes[range.dropFirst(2)])
        case 0xAE where range.count >= 11:
            replace(&bytes, range.lowerBound + 3..<range.lowerBound + 11, 0x9F26)
            replace(&bytes, range.lowerBound + 11..<range.upperBound, 0x9F10)
            return true
        case 0x88, 0x2A:
            replace(&bytes, range, 0x9F4B)
            return true
        default: return false
        }
    }

    private static func isFileLocator(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count.isMultiple(of: 4) else { return false }
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 4) {
            let (file, first, last, signed) = (bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
            guard file & 7 == 0, file >> 3 > 0, first <= last, signed <= last else { return false }
        }
        return true
    }

    /// Redacts each field of data built by a list; nil when no list fits.
    private mutating func fields(_ bytes: inout [UInt8], _ range: Range<Int>, of tags: [TLVTag]) -> Bool? {
        for tag in tags {
            guard let list = lists[tag], let entries = Self.entries(list),
                entries.reduce(0, { $0 + $1.length }) == range.count
            else { continue }
            var start = range.lowerBound
            for (tag, length) in entries {
                leaf(&bytes, LooseTLV.Leaf(tag: tag, value: start..<start + length), .unknown)
                start += length
            }
            return true
        }
        return nil
    }

    private static func entries(_ list: [UInt8]) -> [(tag: TLVTag, length: Int)]? {
        var (entries, position): ([(tag: TLVTag, length: Int)], Int) = ([], 0)
        while position < list.count {
            var tag = UInt32(list[position])
            position += 1
            if tag & 0x1F == 0x1F {
                repeat {
                    guard position < list.count, tag < 0x0100_0000 else { return nil }
                    tag = tag << 8 | UInt32(list[position])
                    position += 1
                } while list[position - 1] & 0x80 != 0
            }
            guard position < list.count else { return nil }
            entries.append((TLVTag(rawValue: tag), Int(list[position])))
            position += 1
        }
        return entries
    }

    private mutating func replace(_ bytes: inout [UInt8], _ range: Range<Int>, _ tag: TLVTag) {
        if let row = SensitiveObjects.row(tag) { replace(&bytes, range, row) }
    }

    private mutating func replace(_ bytes: inout [UInt8], _ range: Range<Int>, _ row: SensitiveObjects.Row) {
        let value = Array(bytes[range])
        let replaced = values.value(value, row.replacement)
        note(value, replaced, row.replacement)
        bytes.replaceSubrange(range, with: replaced)
    }

    private mutating func note(_ value: [UInt8], _ replaced: [UInt8], _ replacement: Replacement) {
        switch replacement {
        case .account, .track2:
            note(account: Nibbles(value).values(0..<value.count * 2).prefix { $0 <= 9 })
        case .track1:
            note(account: value.dropFirst().prefix { (0x30...0x39).contains($0) }.map { $0 - 0x30 }[...])
        case .name:
            let text = value.filter { $0 != 0 }.split(separator: 0x20).joined(separator: [0x20]).map { $0 }
            let letters = text.filter { (0x41...0x5A).contains($0 & 0xDF) }
            if letters.count >= 5 { found.names.insert(Array(text)) }
        default:
            if value.count >= 8, Set(value).count >= 4, value != replaced { found.values[value] = replaced }
        }
    }

    private mutating func note(account digits: ArraySlice<UInt8>) {
        if DigitRuns.lengths.contains(digits.count), digits.contains(where: { $0 != 0 }) {
            found.accounts.insert(Array(digits))
        }
    }
}

// MARK: bytes that are no objects

extension ByteRedaction {
    private mutating func unstructured(_ bytes: inout [UInt8], _ range: Range<Int>) {
        hunt(&bytes, range)
        numbers(&bytes, range)
        characters(&bytes, range)
    }

    /// Sensitive tags with a length that fits them, wherever they stand.
    private mutating func hunt(_ bytes: inout [UInt8], _ range: Range<Int>) {
        for row in SensitiveObjects.rows {
            let tag = row.tag.bytes
            var start = range.lowerBound
            while start + tag.count < range.upperBound {
                defer { start += 1 }
                guard bytes[start..<start + tag.count].elementsEqual(tag) else { continue }
                var (next, length) = (start + tag.count + 1, Int(bytes[start + tag.count]))
                if length == 0x81, next < range.upperBound { (next, length) = (next + 1, Int(bytes[next])) }
                guard row.lengths.contains(length) else { continue }
                let value = next..<min(next + length, range.upperBound)
                if !value.isEmpty, Self.looksRight(bytes[value], row.replacement) { replace(&bytes, value, row) }
            }
        }
    }

    /// One-byte tags are found in anything; numbers and tracks have a form to check.
    private static func looksRight(_ value: ArraySlice<UInt8>, _ replacement: Replacement) -> Bool {
        switch replacement {
        case .account: value.dropLast().allSatisfy { $0 >> 4 <= 9 && $0 & 15 <= 9 }
        case .track2: value.prefix(5).allSatisfy { $0 >> 4 <= 9 && $0 & 15 <= 9 }
        case .track1: value.first == 0x42
        default: true
        }
    }

    /// Account numbers and track 2 in half bytes.
    private mutating func numbers(_ bytes: inout [UInt8], _ range: Range<Int>) {
        var nibbles = Nibbles(bytes)
        for part in Self.withoutText(bytes, range) {
            let part = part.lowerBound * 2..<part.upperBound * 2
            for run in nibbles.digitRuns(in: part, atLeast: DigitRuns.lengths.lowerBound) {
                let digits = nibbles.values(run)
                if Self.isTrack(nibbles, run, end: part.upperBound) {
                    track(&nibbles, run, end: part.upperBound)
                } else {
                    let replaced = DigitRuns.redacted(digits, application: values.application)
                    if replaced != digits, DigitRuns.isAccount(digits), TestAccount.isIssuable(digits) {
                        note(account: digits[...])
                    }
                    nibbles.replace(run, with: replaced)
                }
            }
        }
        bytes = nibbles.bytes
    }

    /// Whether digits are followed by a separator, a date and a service code (ISO/IEC 7813).
    private static func isTrack(_ nibbles: Nibbles, _ run: Range<Int>, end: Int) -> Bool {
        guard run.upperBound + 7 < end, nibbles[run.upperBound] == 0x0D else { return false }
        return nibbles.values(run.upperBound + 1..<run.upperBound + 8).allSatisfy { $0 <= 9 }
    }

    private mutating func track(_ nibbles: inout Nibbles, _ run: Range<Int>, end: Int) {
        let number = run.count > 19 ? run.upperBound - 19..<run.upperBound : run
        let digits = nibbles.values(number)
        let replaced = run.count > 19 ? digits.map { _ in 0 } : values.number(like: digits)
        if run.count <= 19 { note(account: digits[...]) }
        nibbles.replace(number, with: replaced)
        let rest = run.upperBound + 1..<((run.upperBound + 1..<end).first { nibbles[$0] > 9 } ?? end)
        nibbles.replace(rest, with: values.afterNumber(nibbles.values(rest)))
    }

    /// The parts of a range outside long runs of digit characters, whose half bytes are all digits too.
    private static func withoutText(_ bytes: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var (start, index) = (range.lowerBound, range.lowerBound)
        while index < range.upperBound {
            let end = bytes[index..<range.upperBound].firstIndex { !(0x30...0x39).contains($0) } ?? range.upperBound
            if end - index >= DigitRuns.lengths.lowerBound {
                if start < index { parts.append(start..<index) }
                start = end
            }
            index = max(end, index + 1)
        }
        if start < range.upperBound { parts.append(start..<range.upperBound) }
        return parts
    }

    /// Account numbers and tracks in characters.
    private mutating func characters(_ bytes: inout [UInt8], _ range: Range<Int>) {
        var text = CharacterRedaction(values: values)
        let replaced = text.redacted(Array(bytes[range]))
        found.accounts.formUnion(text.accounts)
        bytes.replaceSubrange(range, with: replaced)
    }
}

extension Range<Int> {
    fileprivate func dropFirst(_ count: Int) -> Range<Int> { Swift.min(lowerBound + count, upperBound)..<upperBound }
}
