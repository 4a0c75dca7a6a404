// SPDX-License-Identifier: Apache-2.0

/// Fetches what the card announces with `61xx`, so that the caller sees one whole response
/// (ISO/IEC 7816-4, 5.3.4 and 11.8.1: GET RESPONSE, `00 C0 00 00 Le`).
///
/// Bounded in rounds and bytes: a card that announces more for ever gets an answer cut off with its last `61xx`.
public struct GetResponseChannel<Base: CardChannel>: CardChannel {
    /// More GET RESPONSE commands than this are not sent for one command: 256 times 256 bytes is the longest response
    /// there is (ISO/IEC 7816-3, 12.1.3).
    public static var maximumRounds: Int { 256 }

    private let base: Base

    /// Fetches over this channel.
    public init(_ base: Base) { self.base = base }

    /// The response with all its parts, 2 to 65,538 bytes, and the last status word.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        var response = try base.transmit(command)
        // GET RESPONSE keeps the channel number and loses chaining and secure messaging.
        let cla: UInt8 = command.first.map { $0 & 0x80 == 0 ? $0 & 0x03 : 0 } ?? 0
        var data: [UInt8] = []
        for _ in 0..<Self.maximumRounds {
            guard response.count >= 2, response[response.count - 2] == 0x61 else { break }
            guard data.count + response.count - 2 <= 65_536 else { break }
            data += response.dropLast(2)
            response = try base.transmit([cla, 0xC0, 0x00, 0x00, response[response.count - 1]])
        }
        guard response.count >= 2 else { return response }
        return data + response
    }
}
