// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// The error texts of a replay.
enum ReplayMismatch {
    /// Instructions whose data may be a PIN or a key (ISO/IEC 7816-4, 11.5 and 11.6): only their header is shown.
    private static let secretInstructions: Set<UInt8> = [0x20, 0x21, 0x24, 0x2C, 0x82, 0xDA, 0xDB]
    /// Bytes shown on either side of the first difference.
    private static let window = 4

    static func error(recorded: [UInt8], line: Int, sent: [UInt8]) -> CardChannelError {
        let place = firstDifference(recorded, sent)
        let reason =
            "the command sent is not the one recorded\(at(line)): expected \(shown(recorded, around: place)), "
            + "sent \(shown(sent, around: place)), different from byte \(place) on"
        return CardChannelError(
            .mismatch, reason: reason, hint: "replay by meaning (without --strict), or record the tap anew")
    }

    static func notFound(sent: [UInt8], from line: Int) -> CardChannelError {
        CardChannelError(
            .mismatch, reason: "no recorded exchange\(after(line)) answers \(shown(sent, around: 0))",
            hint: "the trace holds no answer for this pass: ask for the passes it was recorded with, or record anew")
    }

    static func tapOver(after line: Int) -> CardChannelError {
        CardChannelError(.cardGone, reason: "the recorded tap is over\(after(line)): nothing answers this command")
    }

    static func lost(line: Int) -> CardChannelError {
        CardChannelError(.cardGone, reason: "the card left the field at this command\(at(line)), as recorded")
    }

    static func unreadable(_ error: TraceError) -> CardChannelError {
        CardChannelError(.other, reason: error.description)
    }

    private static func at(_ line: Int) -> String { line > 0 ? " in line \(line)" : "" }
    private static func after(_ line: Int) -> String { line > 0 ? " after line \(line)" : "" }

    /// Header, length, and the bytes around a place.
    private static func shown(_ command: [UInt8], around place: Int) -> String {
        let header = Hex.encode(command.prefix(4))
        let size = "\(header)… (\(command.count) bytes)"
        guard command.count > 4, place >= 4, !secretInstructions.contains(command[1]) else { return size }
        let from = max(4, min(place, command.count) - window)
        let part = command[from..<min(command.count, place + window)]
        return "\(size) with …\(Hex.encode(part))… from byte \(from)"
    }

    private static func firstDifference(_ a: [UInt8], _ b: [UInt8]) -> Int {
        zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
    }
}
