// SPDX-License-Identifier: Apache-2.0

public import BERTLV
internal import ISO7816

/// One application that the card's directory lists: tag 61 (EMV Contactless Book B, table 3-2).
public struct DirectoryEntry: Hashable, Sendable {
    /// ADF name, tag 4F, 5 to 16 bytes.
    public let name: [UInt8]
    /// Application label, tag 50, for display.
    public let label: String?
    /// 1 (best) to 15, or nil without a priority.
    public let priority: Int?
    /// Tag 87 as the card sent it.
    public let priorityIndicator: [UInt8]?
    /// Kernel identifier, tag 9F2A, as the card sent it.
    public let kernelIdentifier: [UInt8]?
    /// Extended selection, tag 9F29.
    public let extendedSelection: [UInt8]
    /// Everything in the entry, unjudged.
    public let objects: [TLV]

    /// Reads the value of tag 61; nil for an entry that must be passed over (no usable name).
    init?(_ template: TLV) {
        guard let objects = try? template.contents(rules: .lenient), let name = objects.first(0x4F)?.bytes,
            (5...16).contains(name.count)
        else { return nil }
        self.objects = objects
        self.name = name
        label = objects.first(0x50).map { String(decoding: $0.value, as: UTF8.self) }
        priorityIndicator = objects.first(0x87)?.bytes
        // The low nibble counts; bit 8 (cardholder confirmation) is not used contactless.
        priority = priorityIndicator?.first.flatMap { $0 & 15 == 0 ? nil : Int($0 & 15) }
        kernelIdentifier = objects.first(0x9F2A)?.bytes
        extendedSelection = objects.first(0x9F29)?.bytes ?? []
    }
}

/// An application on the card together with a combination of the reader's.
public struct Candidate: Hashable, Sendable {
    /// What the card lists; its name is what gets selected.
    public let name: [UInt8]
    /// Label for display.
    public let label: String?
    /// 1 (best) to 15, or nil.
    public let priority: Int?
    /// Extended selection bytes.
    public let extendedSelection: [UInt8]
    /// The reader's side.
    public let active: ActiveCombination
    /// Whether the card's answer may have a longer name (selection by a configured name, without a directory).
    let isDirect: Bool

    /// A candidate from a directory entry.
    public init(_ entry: DirectoryEntry, active: ActiveCombination) {
        (name, label, priority) = (entry.name, entry.label, entry.priority)
        (extendedSelection, self.active, isDirect) = (entry.extendedSelection, active, false)
    }

    /// A candidate that is selected by the name given, without a directory.
    public init(direct name: [UInt8], active: ActiveCombination) {
        (self.name, label, priority, extendedSelection, self.active, isDirect) = (name, nil, nil, [], active, true)
    }

    /// What SELECT names: the application and, where both sides have it, the extended selection.
    var selectionName: [UInt8] {
        let extended = active.combination.supportsExtendedSelection ? extendedSelection : []
        return name.count + extended.count <= 16 ? name + extended : name
    }
}

/// What the card offers and what of it the reader can do (Book B, 3.3.2).
public struct CandidateList: Hashable, Sendable {
    /// The directory's usable entries, in the card's order.
    public let entries: [DirectoryEntry]
    /// Candidates, best first.
    public let candidates: [Candidate]

    /// Reads the PPSE's answer, without its status word.
    ///
    /// An answer without a directory gives no entries; one that is not TLV is an error.
    /// - Throws: code `malformedCardData`.
    public init(directory response: some Collection<UInt8>, combinations: [ActiveCombination]) throws(EMVError) {
        entries = try Self.entries(Array(response))
        candidates = Self.match(entries, combinations)
    }

    private static func entries(_ response: [UInt8]) throws(EMVError) -> [DirectoryEntry] {
        do {
            guard let fci = try TLV.read(response, rules: .lenient).first, fci.tag == 0x6F else {
                throw EMVError(.malformedCardData, "the directory's answer is not an FCI template", offset: 0)
            }
            let proprietary = try fci.contents(rules: .lenient).first(0xA5)?.contents(rules: .lenient)
            let directory = try proprietary?.first(0xBF0C)?.contents(rules: .lenient)
            return (directory ?? []).filter { $0.tag == 0x61 }.compactMap(DirectoryEntry.init)
        } catch let error as TLVError {
            throw EMVError(error, in: "the directory's answer")
        } catch let error as EMVError {
            throw error
        } catch {
            throw EMVError(.malformedCardData, "the directory's answer cannot be read")
        }
    }

    /// Every entry with every combination that fits; best priority first, the card's order among equals.
    private static func match(_ entries: [DirectoryEntry], _ combinations: [ActiveCombination]) -> [Candidate] {
        let candidates = entries.flatMap { entry in
            let request = KernelRequest(entry.kernelIdentifier)
            return combinations.filter { active in
                active.combination.matches(name: entry.name)
                    && request.accepts(active.combination.kernel, for: entry.name)
            }.map { Candidate(entry, active: $0) }
        }
        let ranked = candidates.enumerated().sorted {
            ($0.element.priority ?? 16, $0.offset) < ($1.element.priority ?? 16, $1.offset)
        }
        return ranked.map(\.element)
    }
}
