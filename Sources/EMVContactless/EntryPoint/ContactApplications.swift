// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
package import ISO7816

/// The applications of a card on the contact interface (EMV Book 1, 12.3): its directory, else the terminal's list.
///
/// For checking recordings of contact cards. No read of this package comes here: names are never tried one by one on
/// a contactless card or a phone.
package struct ContactApplications: Sendable {
    /// A name that the terminal knows.
    package struct Known: Sendable {
        let name: [UInt8]
        let allowsPartialSelection: Bool

        /// A name of 5 to 16 bytes.
        package init(_ name: [UInt8], allowsPartialSelection: Bool) {
            (self.name, self.allowsPartialSelection) = (name, allowsPartialSelection)
        }

        func matches(_ other: [UInt8]) -> Bool {
            other == name || (allowsPartialSelection && other.starts(with: name))
        }
    }

    /// An application that both sides have.
    package struct Application: Hashable, Sendable {
        /// ADF name.
        package let name: [UInt8]
        /// Tag 50.
        package let label: String?
        /// 1 (best) to 15, or nil.
        package let priority: Int?
        /// Whether the cardholder must agree to it (bit 8 of tag 87).
        package let needsConfirmation: Bool
    }

    /// The card refuses SELECT altogether: it is blocked, or can do nothing here.
    package let isCardBlocked: Bool
    /// Applications, best first, the card's order among equals.
    package let applications: [Application]
    /// Whether the cardholder must choose or agree.
    package var needsCardholder: Bool { applications.count > 1 || applications.contains(where: \.needsConfirmation) }

    /// Asks the card in the reader.
    package init(known: [Known], over channel: any CardChannel) throws(EMVError) {
        var search = Search(known: known, commands: CardCommands(channel: channel))
        try search.readDirectory()
        if search.found.isEmpty, !search.isCardBlocked { try search.tryNames() }
        isCardBlocked = search.isCardBlocked
        applications = search.found.enumerated()
            .sorted { ($0.element.priority ?? 16, $0.offset) < ($1.element.priority ?? 16, $1.offset) }.map(\.element)
    }

    /// `1PAY.SYS.DDF01` (EMV Book 1, 12.2.2).
    static let directoryName = Array("1PAY.SYS.DDF01".utf8)
}

private struct Search {
    typealias Application = ContactApplications.Application

    let known: [ContactApplications.Known]
    let commands: CardCommands
    var found: [Application] = []
    var isCardBlocked = false

    /// Every record of the directory file that the PSE names; a fault in it leaves the list of names (12.3.2).
    mutating func readDirectory() throws(EMVError) {
        guard let directory = try select(ContactApplications.directoryName, next: false),
            directory.name == ContactApplications.directoryName, let file = directory.objects.first(0x88)?.value.first,
            (1...10).contains(file)
        else { return }
        var applications: [Application] = []
        for number in UInt8(1)...UInt8.max {
            let response = try commands.readRecord(sfi: file, number: number)
            if response.status == 0x6A83 { break }
            guard response.status == .success, let record = try? TLV.read(response.data, rules: .lenient),
                record.count == 1, record[0].tag == 0x70, let entries = try? record[0].contents(rules: .lenient)
            else { return }
            for entry in entries where entry.tag == 0x61 {
                if let entry = DirectoryEntry(entry) { applications.append(Application(entry)) }
            }
        }
        found = applications.filter { application in known.contains { $0.matches(application.name) } }
    }

    /// SELECT of each name; a name that is the beginning of several is selected again (12.3.3).
    mutating func tryNames() throws(EMVError) {
        for (index, candidate) in known.enumerated() {
            var isNext = false
            // No card has more applications of one name than this.
            for _ in 0..<16 {
                let answer = try select(candidate.name, next: isNext, isFirst: index == 0 && !isNext)
                if isCardBlocked { return }
                guard let answer else { break }
                guard answer.name != candidate.name else {
                    if !answer.isBlocked { found.append(Application(answer)) }
                    break
                }
                guard candidate.matches(answer.name) else { break }
                if !answer.isBlocked { found.append(Application(answer)) }
                isNext = true
            }
        }
    }

    struct Selected {
        let name: [UInt8]
        let objects: [TLV]
        let isBlocked: Bool
    }

    /// The answer to SELECT; nil for a refusal, and for the directory when it is blocked.
    private mutating func select(
        _ name: [UInt8], next: Bool, isFirst: Bool = true
    ) throws(EMVError) -> Selected? {
        let response = try commands.select(name, isNext: next)
        if response.status == 0x6A81, isFirst { isCardBlocked = true }
        // 6283: selected, but blocked. The T=0 rules fetch what the card has to say all the same (9.3.1.1.4).
        let isBlocked = response.status == 0x6283
        guard response.status == .success || isBlocked else { return nil }
        let answer = isBlocked && response.data.isEmpty ? try commands.getResponse() : response
        if isBlocked, name == ContactApplications.directoryName { return nil }
        guard let fci = try? FileControlInformation(answer.data) else { return nil }
        return Selected(name: fci.name, objects: fci.objects, isBlocked: isBlocked)
    }
}

extension ContactApplications.Application {
    fileprivate init(_ entry: DirectoryEntry) {
        (name, label, priority) = (entry.name, entry.label, entry.priority)
        needsConfirmation = (entry.priorityIndicator?.first ?? 0) & 0x80 != 0
    }

    fileprivate init(_ answer: Search.Selected) {
        name = answer.name
        label = answer.objects.first(0x50).map { String(decoding: $0.value, as: UTF8.self) }
        let indicator = answer.objects.first(0x87)?.value.first ?? 0
        priority = indicator & 15 == 0 ? nil : Int(indicator & 15)
        needsConfirmation = indicator & 0x80 != 0
    }
}
