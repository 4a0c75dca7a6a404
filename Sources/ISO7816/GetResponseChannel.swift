// SPDX-License-Identifier: Apache-2.0

/// Fetches what the card announces with `61xx`, so that the caller sees one whole response
/// (ISO/IEC 7816-4, 5.3.4 and 11.8.1: GET RESPONSE, `00 C0 00 00 Le`).
///
/// Bounded in rounds and bytes: a card that announces more for ever gets an answer cut off with its last `61xx`.
/// Parts that together are longer than any response are an error with code `unsupported`.
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
        // The usual answer is whole, and goes on without a copy.
        guard response.count >= 2, response[response.count - 2] == 0x61 else {
            guard response.count <= Self.maximumData + 2 else { throw Self.tooLong }
            return response
        }
        let cla = Self.channelNumber(of: command)
        var data: [UInt8] = []
        for _ in 0..<Self.maximumRounds {
            guard response.count >= 2, response[response.count - 2] == 0x61 else { break }
            data += response.dropLast(2)
            guard data.count <= Self.maximumData else { break }
            response = try base.transmit([cla, 0xC0, 0x00, 0x00, response[response.count - 1]])
        }
        guard response.count >= 2 else { return response }
        guard data.count + response.count - 2 <= Self.maximumData else {
            throw Self.tooLong
        }
        return data + response
    }

    private static var tooLong: CardChannelError {
        CardChannelError(.unsupported, reason: "the card's answer is longer than any response")
    }

    private static var maximumData: Int { 65_536 }

    /// GET RESPONSE keeps the channel number and loses chaining and secure messaging: the first interindustry values
    /// have it in bits 2-1, the further ones in bits 4-1 beside bit 7 (ISO/IEC 7816-4, 5.4.1).
    private static func channelNumber(of command: [UInt8]) -> UInt8 {
        guard let cla = command.first, cla & 0x80 == 0 else { return 0 }
        return cla & 0x40 == 0 ? cla & 0x03 : cla & 0x4F
    }
}
