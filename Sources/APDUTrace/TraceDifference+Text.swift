// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

extension TraceDifference: CustomStringConvertible {
    /// One line: which lines, and what differs; headers and lengths, no data.
    public var description: String {
        switch self {
        case .atr(let left, let right): "ATR: \(Self.hex(left)) and \(Self.hex(right))"
        case .onlyLeft(let exchange, let line): "only left, line \(line): \(Self.short(exchange))"
        case .onlyRight(let exchange, let line): "only right, line \(line): \(Self.short(exchange))"
        case .command(let left, let leftLine, let right, let rightLine, let byte):
            "command, lines \(leftLine) and \(rightLine), from byte \(byte): "
                + "\(Self.short(left.command)) and \(Self.short(right.command))"
        case .response(let left, let leftLine, let right, let rightLine, let byte):
            "response to \(Self.short(left.command)), lines \(leftLine) and \(rightLine), from byte \(byte): "
                + "\(Self.status(left)) and \(Self.status(right))"
        case .fieldOff(let line?, _): "field off only left, after line \(line)"
        case .fieldOff(_, let line): "field off only right, after line \(line ?? 0)"
        case .lost(let left?, _): "only left, line \(left.line): the card left at \(Self.short(left.command))"
        case .lost(_, let right):
            "only right, line \(right?.line ?? 0): the card left at \(Self.short(right?.command ?? []))"
        }
    }

    private static func hex(_ bytes: [UInt8]?) -> String { bytes.map { Hex.encode($0) } ?? "none" }
    private static func short(_ command: [UInt8]) -> String {
        "\(Hex.encode(command.prefix(4))) (\(command.count) bytes)"
    }
    private static func status(_ exchange: TraceExchange) -> String {
        "\(exchange.response.count) bytes, \(Hex.encode(exchange.response.suffix(2)))"
    }
    private static func short(_ exchange: TraceExchange) -> String {
        "\(short(exchange.command)), \(status(exchange))"
    }
}
