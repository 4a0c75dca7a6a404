// SPDX-License-Identifier: Apache-2.0

/// The application file locator, tag 94: which records to read (EMV Book 3, 10.2).
public struct ApplicationFileLocator: Hashable, Sendable {
    /// A run of records in one file.
    public struct Entry: Hashable, Sendable {
        /// Short file identifier, 1 to 30.
        public let sfi: UInt8
        /// First and last record number, 1 or more.
        public let records: ClosedRange<UInt8>
        /// How many of them, from the first, take part in offline data authentication.
        public let authenticated: UInt8
    }

    /// One record to read.
    public struct Record: Hashable, Sendable {
        /// Short file identifier, 1 to 30.
        public let sfi: UInt8
        /// Record number, 1 or more.
        public let number: UInt8
        /// Whether it takes part in offline data authentication.
        public let isAuthenticated: Bool
    }

    /// The entries in order.
    public let entries: [Entry]

    /// Reads the value of tag 94: a multiple of four bytes, at least one entry, SFI in the upper five bits with the
    /// lower three zero.
    public init(_ bytes: some Collection<UInt8>) throws(EMVError) {
        let bytes = Array(bytes)
        guard !bytes.isEmpty, bytes.count.isMultiple(of: 4) else {
            throw EMVError(.malformedCardData, "an application file locator has \(bytes.count) bytes, not 4, 8, ...")
        }
        var entries: [Entry] = []
        for start in stride(from: 0, to: bytes.count, by: 4) {
            let (file, first, last, authenticated) =
                (bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
            guard file & 7 == 0, (1...30).contains(file >> 3) else {
                throw EMVError(.malformedCardData, "an AFL entry names no file", offset: start)
            }
            guard first >= 1, last >= first else {
                throw EMVError(.malformedCardData, "an AFL entry names no records", offset: start + 1)
            }
            guard Int(authenticated) <= Int(last) - Int(first) + 1 else {
                throw EMVError(.malformedCardData, "an AFL entry authenticates more than it reads", offset: start + 3)
            }
            entries.append(Entry(sfi: file >> 3, records: first...last, authenticated: authenticated))
        }
        self.entries = entries
    }

    /// Every record, in reading order.
    public var records: [Record] {
        entries.flatMap { entry in
            entry.records.map { number in
                Record(
                    sfi: entry.sfi, number: number,
                    isAuthenticated: Int(number) - Int(entry.records.lowerBound) < Int(entry.authenticated))
            }
        }
    }
}
