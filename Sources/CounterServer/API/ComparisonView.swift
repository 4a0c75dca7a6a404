// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ISO7816

/// Two taps side by side: what both say, and where they differ. What is new at every tap does not count.
struct ComparisonView {
    private let differences: [TraceDifference]
    private let left: [TraceExchange]
    private let right: [TraceExchange]

    init(_ left: APDUTrace, _ right: APDUTrace) {
        differences = TraceComparison(left, right).differences
        (self.left, self.right) = (left.exchanges, right.exchanges)
    }

    var json: JSON {
        .object([
            "same": .bool(differences.isEmpty), "lines": .array(differences.map { .string($0.description) }),
            "rows": .array(rows),
        ])
    }

    /// What a row of the table says.
    private enum Mark {
        case command(byte: Int)
        case response(byte: Int)
        case alone
    }

    /// Exchanges in order; those that only one tap has stand alone.
    private var rows: [JSON] {
        let (leftMarks, rightMarks) = marks
        var (i, j, rows): (Int, Int, [JSON]) = (0, 0, [])
        while i < left.count || j < right.count {
            let a = i < left.count ? leftMarks[left[i].line] : nil
            let b = j < right.count ? rightMarks[right[j].line] : nil
            if i < left.count, case .alone? = a {
                rows.append(Self.row(left[i], nil, "onlyLeft", nil))
                i += 1
            } else if j < right.count, case .alone? = b {
                rows.append(Self.row(nil, right[j], "onlyRight", nil))
                j += 1
            } else {
                let pair = (i < left.count ? left[i] : nil, j < right.count ? right[j] : nil)
                switch a ?? b {
                case .command(let byte)?: rows.append(Self.row(pair.0, pair.1, "command", byte))
                case .response(let byte)?: rows.append(Self.row(pair.0, pair.1, "response", byte))
                default: rows.append(Self.row(pair.0, pair.1, "same", nil))
                }
                (i, j) = (i + 1, j + 1)
            }
        }
        return rows
    }

    /// By line: every exchange of a trace that was read from a text has its own.
    private var marks: (left: [Int: Mark], right: [Int: Mark]) {
        var (a, b): ([Int: Mark], [Int: Mark]) = ([:], [:])
        for difference in differences {
            switch difference {
            case .onlyLeft(_, let line): a[line] = .alone
            case .onlyRight(_, let line): b[line] = .alone
            case .command(_, let leftLine, _, let rightLine, let byte):
                (a[leftLine], b[rightLine]) = (.command(byte: byte), .command(byte: byte))
            case .response(_, let leftLine, _, let rightLine, let byte):
                (a[leftLine], b[rightLine]) = (.response(byte: byte), .response(byte: byte))
            case .atr, .fieldOff, .lost: break
            }
        }
        return (a, b)
    }

    private static func row(_ left: TraceExchange?, _ right: TraceExchange?, _ kind: String, _ byte: Int?) -> JSON {
        .object([
            "difference": .string(kind), "byte": byte.map { .number($0) } ?? .null, "left": side(left),
            "right": side(right),
        ])
    }

    private static func side(_ exchange: TraceExchange?) -> JSON {
        guard let exchange else { return .null }
        return .object([
            "name": .string(Story.name(exchange.command)),
            "command": .string(CardholderMask.on.hex(exchange.command).text),
            "response": .string(CardholderMask.on.hex(exchange.response).text),
            "durationMs": exchange.milliseconds.map { .number($0) } ?? .null,
        ])
    }
}
