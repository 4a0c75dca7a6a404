// SPDX-License-Identifier: Apache-2.0

import ISO7816

/// Cuts responses to what the command's Le and the answer shape allow (ISO/IEC 7816-4, 5.3.4 and 5.6).
struct ResponseTransport {
    /// A response kept for the same command with the right Le.
    private var held: (command: [UInt8], response: ResponseAPDU)?
    /// What GET RESPONSE has still to fetch.
    private var rest: ArraySlice<UInt8> = []
    private var finalStatus = StatusWord.success

    /// Forgets everything, as any other command makes a card do.
    mutating func clear() { (held, rest) = (nil, []) }

    /// What goes out now.
    mutating func send(_ response: ResponseAPDU, to command: CommandAPDU, shape: AnswerShape) -> [UInt8] {
        clear()
        let data = response.data
        guard !data.isEmpty else { return response.bytes }
        if let size = shape.chunkSize { return begin(response, limit: min(size, command.ne ?? size)) }
        let limit = command.ne ?? (command.isExtended ? 65_536 : 256)
        let isExact = command.ne == data.count
        if data.count <= 256, shape.wantsExactLe ? !isExact : data.count > limit {
            held = (Self.withoutLe(command), response)
            return StatusWord(sw1: 0x6C, sw2: UInt8(truncatingIfNeeded: data.count)).bytes
        }
        return begin(response, limit: limit)
    }

    /// The held response, when this is the command it was held for with another Le.
    mutating func resend(to command: CommandAPDU) -> [UInt8]? {
        guard let held, held.command == Self.withoutLe(command), let ne = command.ne else { return nil }
        guard held.response.data.count <= ne else { return nil }
        clear()
        return held.response.bytes
    }

    /// Answers GET RESPONSE.
    mutating func more(for command: CommandAPDU, shape: AnswerShape) -> [UInt8] {
        guard !rest.isEmpty else { return Refusal.conditionsNotSatisfied.status.bytes }
        return next(limit: min(shape.chunkSize ?? 256, command.ne ?? 256))
    }

    private mutating func begin(_ response: ResponseAPDU, limit: Int) -> [UInt8] {
        (rest, finalStatus) = (response.data, response.status)
        return next(limit: limit)
    }

    private mutating func next(limit: Int) -> [UInt8] {
        let part = Array(rest.prefix(limit))
        rest = rest.dropFirst(limit)
        guard !rest.isEmpty else { return part + finalStatus.bytes }
        // 00 stands for 256 or more still to come.
        return part + [0x61, rest.count > 255 ? 0 : UInt8(truncatingIfNeeded: rest.count)]
    }

    private static func withoutLe(_ command: CommandAPDU) -> [UInt8] {
        Array(command.bytes.prefix(4)) + command.data
    }
}
