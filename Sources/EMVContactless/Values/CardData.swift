// SPDX-License-Identifier: Apache-2.0

public import BERTLV
internal import ISO7816
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// What a card handed out: the one owner of cardholder data.
///
/// The values live in memory of their own that is overwritten when they are replaced, on ``erase()`` and at the end.
/// Nothing prints them: description, debug description, `dump` and mirrors show a count. ``bytes(of:)`` gives out what
/// is not sensitive; the rest is for the sealing code of this package alone. Usable from any thread.
public final class CardData: Sendable {
    private let storage = Mutex(Storage())

    /// Nothing read yet.
    public init() {}

    deinit { erase() }

    /// The tags present, in the order they first came.
    public var tags: [TLVTag] { storage.withLock { $0.objects.map(\.tag) } }

    /// Whether the card sent `tag`.
    public func contains(_ tag: TLVTag) -> Bool { storage.withLock { $0.range(of: tag) != nil } }

    /// The value of an object that is not sensitive; nil for one that is absent, or that must not be given out.
    public func bytes(of tag: TLVTag) -> [UInt8]? {
        TagDictionary.standard.isSensitive(tag) ? nil : sensitiveBytes(of: tag)
    }

    /// A copy of any value. The copy is the caller's to overwrite.
    package func sensitiveBytes(of tag: TLVTag) -> [UInt8]? {
        storage.withLock { storage in storage.range(of: tag).map { storage.buffer.copy($0) } }
    }

    /// Runs `body` over a value in place; nil when it is absent.
    package func withBytes<Result: Sendable>(of tag: TLVTag, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        storage.withLock { storage in
            guard let range = storage.range(of: tag) else { return nil }
            return storage.buffer.withBytes(range, body)
        }
    }

    /// Lends a value in place; nothing happens when it is absent.
    package func lend(_ tag: TLVTag, _ body: (UnsafeRawBufferPointer) -> Void) {
        storage.withLock { storage in
            if let range = storage.range(of: tag) { storage.buffer.withBytes(range, body) }
        }
    }

    /// Keeps a value; one that was there is overwritten.
    package func set(_ tag: TLVTag, _ value: some Collection<UInt8>) {
        storage.withLock { $0.set(tag, value) }
    }

    /// Keeps a record as it came, for offline data authentication.
    package func append(record: ApplicationFileLocator.Record, _ bytes: some Collection<UInt8>) {
        storage.withLock { storage in
            let range = storage.buffer.append(bytes)
            storage.records.append((record, range))
        }
    }

    /// The records as they came, in reading order.
    package var records: [(record: ApplicationFileLocator.Record, bytes: [UInt8])] {
        storage.withLock { storage in storage.records.map { ($0.0, storage.buffer.copy($0.1)) } }
    }

    /// Overwrites and forgets everything.
    public func erase() { storage.withLock { $0.erase() } }

    /// The PAN with all but the first six and last four digits hidden, from 5A or else from track 2.
    public var maskedPAN: String? { pan.map(AccountNumber.masked) }

    /// Whether the PAN's check digit is right; nil without a PAN.
    public var isPANValid: Bool? { pan.map(AccountNumber.isLuhnValid) }

    /// Every account number that the card sent: 5A, both forms of track 2, track 1.
    package var accountNumbers: [String] {
        var numbers: [String] = []
        if let digits = withBytes(of: 0x5A, { AccountNumber.digits($0) }) { numbers.append(digits) }
        for tag: TLVTag in [0x57, 0x9F6B] {
            if let bytes = sensitiveBytes(of: tag) { numbers.append((try? Track2(bytes))?.pan ?? "") }
        }
        if let bytes = sensitiveBytes(of: 0x56) { numbers.append((try? Track1(bytes))?.pan ?? "") }
        return numbers
    }

    /// The PAN's digits.
    package var pan: String? {
        if let digits = withBytes(of: 0x5A, { AccountNumber.digits($0) }), !digits.isEmpty { return digits }
        for tag: TLVTag in [0x57, 0x9F6B] {
            if let track = sensitiveBytes(of: tag).flatMap({ try? Track2($0) }) { return track.pan }
        }
        return nil
    }
}

extension CardData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many objects there are, nothing else.
    public var description: String { "<card data, \(tags.count) objects>" }
    /// The same.
    public var debugDescription: String { description }
    /// Without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

private struct Storage: Sendable {
    let buffer = WipingBuffer()
    var objects: [(tag: TLVTag, range: Range<Int>)] = []
    var records: [(ApplicationFileLocator.Record, Range<Int>)] = []

    func range(of tag: TLVTag) -> Range<Int>? { objects.first { $0.tag == tag }?.range }

    mutating func set(_ tag: TLVTag, _ value: some Collection<UInt8>) {
        let range = buffer.append(value)
        if objects.isEmpty { objects.reserveCapacity(40) }
        guard let index = objects.firstIndex(where: { $0.tag == tag }) else { return objects.append((tag, range)) }
        buffer.wipe(objects[index].range)
        objects[index].range = range
    }

    mutating func erase() {
        buffer.erase()
        objects = []
        records = []
    }
}

/// Memory that grows without leaving copies behind.
private final class WipingBuffer: @unchecked Sendable {
    // Only reached under the owner's lock.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0

    deinit {
        erase()
        memory.deallocate()
    }

    func append(_ bytes: some Collection<UInt8>) -> Range<Int> {
        let range = count..<count + bytes.count
        reserve(range.upperBound)
        UnsafeMutableRawBufferPointer(rebasing: memory[range]).copyBytes(from: bytes)
        count = range.upperBound
        return range
    }

    func copy(_ range: Range<Int>) -> [UInt8] { Array(memory[range]) }

    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: memory[range]))
    }

    func wipe(_ range: Range<Int>) { overwrite(UnsafeMutableRawBufferPointer(rebasing: memory[range])) }

    func erase() {
        wipe(0..<count)
        count = 0
    }

    private func reserve(_ size: Int) {
        guard size > memory.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, memory.count * 2, 1024), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[0..<count]))
        wipe(0..<count)
        memory.deallocate()
        memory = larger
    }
}

/// Zeros that the optimiser may not leave out.
func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    #if canImport(Glibc)
        explicit_bzero(start, bytes.count)
    #else
        memset_s(start, bytes.count, 0, bytes.count)
    #endif
}

extension [UInt8] {
    /// Overwrites these bytes in place, where nothing else shares them.
    mutating func wipe() { withUnsafeMutableBytes { overwrite($0) } }
}
