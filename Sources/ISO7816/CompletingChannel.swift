// SPDX-License-Identifier: Apache-2.0

/// A channel whose responses are whole: it fetches what a card announces with 61xx and repeats what a card refuses
/// with 6Cxx, so that protocol code sees one answer per command.
///
/// Both words are legal over ISO/IEC 14443-4 too (ISO/IEC 7816-4, 5.6), although phones were not seen to use them.
/// It stands above a recorder: a trace holds the exchanges as they were on the wire.
public struct CompletingChannel<Base: CardChannel>: CardChannel {
    /// The channel that carries the commands.
    public let base: Base

    /// How many GET RESPONSE follow one command at most: 256 times 256 bytes is the longest response there is
    /// (ISO/IEC 7816-3, 12.1.3). A card that still announces more keeps its 61xx in the answer.
    public static var maximumRounds: Int { 256 }

    /// Wraps a channel.
    public init(_ base: Base) { self.base = base }

    /// Sends a command and gives back the whole response: all parts joined, with the last status word.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        var response = try base.transmit(command)
        if let repeated = Self.withLe(of: response, command) { response = try base.transmit(repeated) }
        guard Self.waiting(response) != nil else { return response }
        var data: [UInt8] = []
        for _ in 0..<Self.maximumRounds {
            guard let le = Self.waiting(response) else { break }
            data += response.dropLast(2)
            response = try base.transmit([0x00, 0xC0, 0x00, 0x00, le])
        }
        // Fewer than two bytes are a lost card; what had come of a response that has no end is no response.
        return response.count < 2 ? response : data + response
    }

    /// The Le of the GET RESPONSE that a response asks for (ISO/IEC 7816-4, 11.7.1).
    private static func waiting(_ response: [UInt8]) -> UInt8? {
        guard let le = response.last, response.dropLast().last == 0x61 else { return nil }
        return le
    }

    /// The command with the Le that a bare 6Cxx tells; nil for any other response.
    private static func withLe(of response: [UInt8], _ command: [UInt8]) -> [UInt8]? {
        guard response.count == 2, response[0] == 0x6C, let parsed = try? CommandAPDU(command) else { return nil }
        let ne = response[1] == 0 ? 256 : Int(response[1])
        let repeated = try? CommandAPDU(
            cla: parsed.cla, ins: parsed.ins, p1: parsed.p1, p2: parsed.p2, data: parsed.data, ne: ne)
        return repeated?.bytes
    }
}
