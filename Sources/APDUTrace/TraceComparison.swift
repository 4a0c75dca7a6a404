// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// One way in which two traces differ. Lines are 0 for traces that were not read from a text.
public enum TraceDifference: Hashable, Sendable {
    /// The answers to reset differ.
    case atr(left: [UInt8]?, right: [UInt8]?)
    /// An exchange only the left trace has.
    case onlyLeft(TraceExchange, line: Int)
    /// An exchange only the right trace has.
    case onlyRight(TraceExchange, line: Int)
    /// The same place holds another command; `byte` is the first that differs, varying parts not counted.
    case command(left: TraceExchange, leftLine: Int, right: TraceExchange, rightLine: Int, byte: Int)
    /// The same command got another response; `byte` is the first that differs, varying parts not counted.
    case response(left: TraceExchange, leftLine: Int, right: TraceExchange, rightLine: Int, byte: Int)
    /// A tap ends after another exchange: the field goes off in one trace only. Lines of the exchange before it.
    case fieldOff(leftLine: Int?, rightLine: Int?)
    /// A command that the card left unanswered in one trace only.
    case lost(left: LostCommand?, right: LostCommand?)
}

/// Two traces side by side: what one says and the other does not. Times and comments do not count.
public struct TraceComparison: Hashable, Sendable {
    /// All differences, in order; empty when the traces say the same.
    public let differences: [TraceDifference]

    /// Whether both say the same.
    public var isEqual: Bool { differences.isEmpty }

    /// Compares.
    ///
    /// - Parameters:
    ///   - left: one trace.
    ///   - right: the other.
    ///   - blanking: leaves out what is new at every tap: terminal nonce 9F28, device nonce 9F24, and the
    ///     cryptogram 9F27 but for its key id and length.
    public init(_ left: APDUTrace, _ right: APDUTrace, blanking: Bool = true) {
        var differences: [TraceDifference] = []
        if left.header.atr != right.header.atr {
            differences.append(.atr(left: left.header.atr, right: right.header.atr))
        }
        let (a, b) = (Item.items(left, blanking), Item.items(right, blanking))
        for pair in Self.aligned(a, b) { differences += Self.compare(pair.0, pair.1) }
        self.differences = differences
    }

    /// Traces that differ in more places than this have nothing to do with each other; they are paired in order.
    private static let editLimit = 2_000

    /// Pairs of items with equal commands, and what stands between them paired in order.
    private static func aligned(_ a: [Item], _ b: [Item]) -> [(Item?, Item?)] {
        let edit = ShortestEdit(from: a.map(\.key), to: b.map(\.key), limit: editLimit)
        let removed = edit?.removed ?? Set(a.indices)
        let inserted = edit?.inserted ?? Set(b.indices)
        var pairs: [(Item?, Item?)] = []
        var (i, j) = (0, 0)
        while i < a.count || j < b.count {
            let (isLeftAlone, isRightAlone) = (removed.contains(i), inserted.contains(j))
            let bothExchanges = i < a.count && j < b.count && a[i].isExchange && b[j].isExchange
            if isLeftAlone == isRightAlone, bothExchanges || !isLeftAlone {
                pairs.append((i < a.count ? a[i] : nil, j < b.count ? b[j] : nil))
                (i, j) = (i + 1, j + 1)
            } else if isLeftAlone {
                pairs.append((a[i], nil))
                i += 1
            } else {
                pairs.append((nil, b[j]))
                j += 1
            }
        }
        return pairs
    }

    private static func compare(_ left: Item?, _ right: Item?) -> [TraceDifference] {
        switch (left, right) {
        case (.exchange(let a, let akey, let aresponse)?, .exchange(let b, let bkey, let bresponse)?):
            if let byte = firstDifference(akey, bkey) {
                return [.command(left: a, leftLine: a.line, right: b, rightLine: b.line, byte: byte)]
            }
            guard let byte = firstDifference(aresponse, bresponse) else { return [] }
            return [.response(left: a, leftLine: a.line, right: b, rightLine: b.line, byte: byte)]
        case (.exchange(let a, _, _)?, _): return [.onlyLeft(a, line: a.line)]
        case (_, .exchange(let b, _, _)?): return [.onlyRight(b, line: b.line)]
        case (.fieldOff(let line)?, nil): return [.fieldOff(leftLine: line, rightLine: nil)]
        case (nil, .fieldOff(let line)?): return [.fieldOff(leftLine: nil, rightLine: line)]
        case (.lost(let a, _)?, nil): return [.lost(left: a, right: nil)]
        case (nil, .lost(let b, _)?): return [.lost(left: nil, right: b)]
        default: return []
        }
    }

    private static func firstDifference(_ a: [UInt8], _ b: [UInt8]) -> Int? {
        if a == b { return nil }
        return zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
    }
}

/// What is aligned: exchanges by their blanked command, marks by themselves.
private enum Item {
    case exchange(TraceExchange, command: [UInt8], response: [UInt8])
    case lost(LostCommand, command: [UInt8])
    case fieldOff(line: Int)

    /// A first byte that tells the kinds apart, then the command.
    var key: [UInt8] {
        switch self {
        case .exchange(_, let command, _): [0] + command
        case .lost(_, let command): [1] + command
        case .fieldOff: [2]
        }
    }

    var isExchange: Bool {
        if case .exchange = self { true } else { false }
    }

    static func items(_ trace: APDUTrace, _ blanking: Bool) -> [Item] {
        var items: [Item] = []
        for (index, tap) in trace.taps.enumerated() {
            if index > 0 { items.append(.fieldOff(line: trace.taps[index - 1].exchanges.last?.line ?? 0)) }
            for exchange in tap.exchanges {
                let (command, response) = (exchange.command, exchange.response)
                items.append(
                    .exchange(
                        exchange, command: blanking ? VaryingParts.blanked(command: command) : command,
                        response: blanking ? VaryingParts.blanked(response: response, to: command) : response))
            }
            if let lost = tap.lost {
                items.append(
                    .lost(lost, command: blanking ? VaryingParts.blanked(command: lost.command) : lost.command))
            }
        }
        return items
    }
}
