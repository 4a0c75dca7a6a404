// SPDX-License-Identifier: Apache-2.0

/// Sends a command whose data is longer than 255 bytes as a chain of short ones, with bit 5 of CLA set in all but the
/// last (ISO/IEC 7816-4, 5.3.3). For cards and readers without extended length only: ask for it.
public struct CommandChainingChannel<Base: CardChannel>: CardChannel {
    private static var chainingBit: UInt8 { 0x10 }
    private let base: Base

    /// Chains over this channel.
    public init(_ base: Base) { self.base = base }

    /// The response to the last command of the chain, or to the first that the card does not take with `9000`.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard let whole = try? CommandAPDU(command), whole.data.count > 255 else { return try base.transmit(command) }
        var rest = whole.data
        while rest.count > 255 {
            let response = try base.transmit(bytes(whole, rest.prefix(255), isLast: false))
            guard response == StatusWord.success.bytes else { return response }
            rest = rest.dropFirst(255)
        }
        return try base.transmit(bytes(whole, rest, isLast: true))
    }

    private func bytes(_ whole: CommandAPDU, _ data: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
        CommandAPDU(
            shortCla: isLast ? whole.cla : whole.cla | Self.chainingBit, ins: whole.ins, p1: whole.p1, p2: whole.p2,
            data: Array(data), ne: isLast ? whole.ne.map { min($0, 256) } : nil
        ).bytes
    }
}
