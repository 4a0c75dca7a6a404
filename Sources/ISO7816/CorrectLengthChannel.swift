// SPDX-License-Identifier: Apache-2.0

/// Sends a command again, once, with the Le that the card asks for in `6Cxx` (ISO/IEC 7816-4, 5.6).
public struct CorrectLengthChannel<Base: CardChannel>: CardChannel {
    private let base: Base

    /// Corrects over this channel.
    public init(_ base: Base) { self.base = base }

    /// The response to the command, or to its second form; a second `6Cxx` is handed on.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let response = try base.transmit(command)
        guard response.count == 2, response[0] == 0x6C, let original = try? CommandAPDU(command) else {
            return response
        }
        let ne = response[1] == 0 ? 256 : Int(response[1])
        let corrected = try? CommandAPDU(
            cla: original.cla, ins: original.ins, p1: original.p1, p2: original.p2, data: original.data, ne: ne,
            extended: original.isExtended)
        guard let corrected else { return response }
        return try base.transmit(corrected.bytes)
    }
}
