// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ISO7816

/// A recorded card that answers what was not recorded as a card does that has not got it.
///
/// Traces of payment cards come from other terminals, which asked for other things: without this every one of them
/// would end in a mismatch instead of an outcome.
struct ForgivingReader: CardReaderDecorator {
    let base: any CardReader
    let habits: Habits

    /// How the card in the trace was.
    struct Habits {
        /// Whether the trace was recorded to its end: a card that left in the middle leaves again.
        let isWhole: Bool
        /// Whether the card was locked in the end: it refuses everything then.
        let isLocked: Bool

        init(_ trace: APDUTrace) {
            isWhole = trace.taps.allSatisfy { $0.lost == nil }
            isLocked = trace.exchanges.last?.response == [0x69, 0x85]
        }
    }

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        let habits = habits
        return try await base.withCard(ending: ending) { channel in
            try body(ForgivingChannel(base: channel, habits: habits))
        }
    }
}

/// See ``ForgivingReader``.
struct ForgivingChannel: CardChannel {
    let base: any CardChannel
    let habits: ForgivingReader.Habits

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        do { return try base.transmit(command) } catch {
            let isMissing = error.code == .mismatch || (error.code == .cardGone && habits.isWhole)
            guard isMissing, command.count >= 2 else { throw error }
            return habits.isLocked ? [0x69, 0x85] : Self.refusals[command[1]] ?? [0x6D, 0x00]
        }
    }

    /// What a card says that has no such application or data (ISO/IEC 7816-4, 5.6). A record that the card's own list
    /// names was there when it was recorded: an empty one stands in.
    private static let refusals: [UInt8: [UInt8]] = [
        0xA4: [0x6A, 0x82], 0xB2: [0x70, 0x00, 0x90, 0x00], 0xCA: [0x6A, 0x88], 0xA8: [0x69, 0x85], 0xAE: [0x69, 0x85],
    ]
}
