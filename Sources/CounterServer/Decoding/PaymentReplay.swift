// SPDX-License-Identifier: Apache-2.0

package import APDUTrace
package import BERTLV
package import EMVContactless
internal import Foundation
internal import ISO7816

/// A payment read over a recorded tap, with what the terminal said then.
package struct PaymentReplay {
    /// How the read ends; nil where the recorded card falls silent, which ``failure`` tells.
    package private(set) var result: EMVReadResult?
    /// Why there is no outcome.
    package private(set) var failure: String?
    /// Commands that the trace has no answer to.
    package private(set) var missing: [String] = []

    /// nil for a tap without a payment application.
    package init?(_ tap: APDUTrace.Tap, authorities: AuthorityKeys = AuthorityKeys(), isRedacted: Bool = false) {
        let selected = tap.exchanges.compactMap { Self.selected($0.command) }
        let hasDirectory = selected.contains(AID.proximityPaymentSystem.bytes)
        let names = selected.filter { ContextGuess.context(ofApplication: $0) != nil }
        guard hasDirectory || !names.isEmpty else { return nil }
        let entryPoint = Self.entryPoint(tap, names, authorities, isRedacted: isRedacted)
        let channel = RecordedCard(tap)
        do throws(EMVError) {
            if hasDirectory {
                result = try entryPoint.read(over: channel, device: selected.first.map(Self.device) ?? .unknown)
            } else {
                let actives = entryPoint.preProcess().active
                let candidates = names.compactMap { name in
                    actives.first { name.starts(with: $0.combination.aid.bytes) }
                        .map { Candidate(direct: name, active: $0) }
                }
                result = try entryPoint.process(candidates, over: channel)
            }
        } catch {
            failure = error.reason
        }
        missing = channel.missing
    }

    private static func device(_ first: [UInt8]) -> PresentedDevice {
        first == AID.valueAddedServices.bytes ? .phone : .unknown
    }

    package static func selected(_ command: [UInt8]) -> [UInt8]? {
        guard let apdu = try? CommandAPDU(command), apdu.ins == 0xA4, apdu.p1 == 0x04 else { return nil }
        return Array(apdu.data)
    }

    /// What the terminal gave the card, by the lists that the card sent.
    package static func terminalData(_ tap: APDUTrace.Tap) -> [TLVTag: [UInt8]] {
        var (lists, values): ([TLVTag: [UInt8]], [TLVTag: [UInt8]]) = ([:], [:])
        for exchange in tap.exchanges {
            guard let command = try? CommandAPDU(exchange.command) else { continue }
            var data = Array(command.data)
            if command.ins == 0xA8 { data = (try? TLV.read(data, rules: .lenient).first?.bytes) ?? [] }
            let tag: TLVTag? = [0xA8: 0x9F38, 0xAE: 0x8C][command.ins]
            if let list = tag.flatMap({ lists[$0] }).flatMap({ try? DataObjectList($0) }), list.dataLength == data.count
            {
                var start = 0
                for entry in list.entries {
                    values[entry.tag] = Array(data[start..<start + entry.length])
                    start += entry.length
                }
            }
            let trees = (try? TLVTree.read(Array(exchange.response.dropLast(2)), rules: .lenient)) ?? []
            for object in trees.flatMap(ContextGuess.leaves) where [0x9F38, 0x8C].contains(object.tag) {
                lists[object.tag] = object.bytes
            }
        }
        return values
    }

    /// What the terminal sent, so that signatures over it verify again.
    package static func recorded(
        _ tap: APDUTrace.Tap, _ values: [TLVTag: [UInt8]], isRedacted: Bool
    ) -> RecordedTerminal {
        var recorded = RecordedTerminal()
        recorded.isRedacted = isRedacted
        recorded.date = values[0x9A].flatMap { EMVDate(bcd: $0) }
        for exchange in tap.exchanges {
            guard let command = try? CommandAPDU(exchange.command) else { continue }
            switch command.ins {
            case 0xA8:
                recorded.processingOptions = (try? TLV.read(Array(command.data), rules: .lenient))?.first?.bytes
            case 0xAE:
                recorded.cryptogramData = Array(command.data)
                recorded.cryptogramType = command.p1 & 0xC0
            default: break
            }
        }
        return recorded
    }

    private static func entryPoint(
        _ tap: APDUTrace.Tap, _ names: [[UInt8]], _ authorities: AuthorityKeys, isRedacted: Bool
    ) -> EntryPoint {
        let values = terminalData(tap)
        func number(_ tag: TLVTag) -> Int? { values[tag].flatMap { Int(Hex.encode($0)) } }
        let combinations = combinations(values, names)
        let country = number(0x9F1A).flatMap { UInt16(exactly: $0) } ?? 276
        let today = EMVDate(Date())
        let unpredictable = values[0x9F37] ?? []
        var configuration = EMVConfiguration(
            terminal: TerminalProfile(country: country), combinations: combinations, authorities: authorities)
        configuration.recorded = recorded(tap, values, isRedacted: isRedacted)
        return EntryPoint(
            configuration: configuration,
            transaction: EMVTransaction(
                amount: number(0x9F02).flatMap { UInt64(exactly: $0) } ?? 100,
                type: values[0x9C]?.first ?? 0, currency: number(0x5F2A).flatMap { UInt16(exactly: $0) } ?? 978,
                date: values[0x9A].flatMap { EMVDate(bcd: $0) } ?? today,
                unpredictableNumber: unpredictable.count == 4 ? unpredictable : [0, 0, 0, 0]))
    }

    /// The standard applications and those that the trace selects, with the terminal's own qualifiers.
    package static func combinations(_ values: [TLVTag: [UInt8]], _ names: [[UInt8]]) -> [Combination] {
        var combinations = Combination.standard()
        let known = combinations.map(\.aid.bytes)
        // Applications that the trace selects and the standard list lacks: by their provider's default kernel.
        for name in names where !known.contains(where: { name.starts(with: $0) }) {
            guard let aid = try? AID(name), let kernel = KernelID.byDefault(for: name) else { continue }
            var combination = Combination(
                aid: aid, kernel: kernel, qualifiers: TerminalTransactionQualifiers([0x20, 0x00, 0x40, 0x00]))
            combination.floorLimit = 0
            combinations.append(combination)
        }
        if let qualifiers = values[0x9F66].flatMap({ TerminalTransactionQualifiers($0) }) {
            for index in combinations.indices { combinations[index].qualifiers = qualifiers }
        }
        return combinations
    }
}

/// A recorded card that is asked by meaning: SELECT by name, records by number, other commands by their kind, in order.
private final class RecordedCard: CardChannel, @unchecked Sendable {
    // Used by one read on one thread.
    private let tap: APDUTrace.Tap
    private var position = 0
    private(set) var missing: [String] = []

    init(_ tap: APDUTrace.Tap) { self.tap = tap }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let wanted = Self.meaning(command)
        if wanted == [0x00, 0xC0], position > 0, let rest = rest { return rest }
        let indices = tap.exchanges.indices
        let next =
            indices[min(position, indices.endIndex)...].first { fits($0, wanted) } ?? indices.first { fits($0, wanted) }
        if let next {
            position = next + 1
            return tap.exchanges[next].response
        }
        if let lost = tap.lost, Self.meaning(lost.command) == wanted {
            throw CardChannelError(.cardGone, reason: "the card left instead of answering")
        }
        missing.append(Hex.encode(command.prefix(4)))
        // What cards say to records and names that they do not have.
        return command.count > 1 && command[1] == 0xB2 ? [0x6A, 0x83] : [0x6A, 0x82]
    }

    /// What follows an answer that was not complete, whatever asked for it.
    private var rest: [UInt8]? {
        guard tap.exchanges.indices.contains(position), tap.exchanges[position - 1].response.dropLast().last == 0x61,
            (try? CommandAPDU(tap.exchanges[position].command))?.data.isEmpty == true
        else { return nil }
        position += 1
        return tap.exchanges[position - 1].response
    }

    private func fits(_ index: Int, _ wanted: [UInt8]) -> Bool { Self.meaning(tap.exchanges[index].command) == wanted }

    private static func meaning(_ command: [UInt8]) -> [UInt8] {
        guard let apdu = try? CommandAPDU(command) else { return command }
        let head = [apdu.cla, apdu.ins]
        switch apdu.ins {
        case 0xA4: return head + [apdu.p1] + apdu.data
        case 0xA8, 0xAE, 0x2A, 0x88, 0xC0: return head
        default: return head + [apdu.p1, apdu.p2]
        }
    }
}
