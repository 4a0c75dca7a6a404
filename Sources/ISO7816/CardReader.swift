// SPDX-License-Identifier: Apache-2.0

/// Something that cards come to: a PC/SC reader, an emulated phone in process, a recorded trace.
///
/// The reader owns its thread. ``withCard(ending:_:)`` is the only way to a ``CardChannel``, and takes care that the
/// exclusive access ends however `body` ends.
public protocol CardReader: Sendable {
    /// The reader's name, for people and for reader selection.
    var name: String { get }

    /// What this reader does to wake a phone (Enhanced Contactless Polling), or what the person must do instead.
    var polling: PollingSupport { get async }

    /// Waits until a card is in the field.
    ///
    /// Cancelling the task ends the wait within a second.
    /// - Parameter timeout: nil waits until cancelled.
    /// - Throws: ``CardChannelError`` with `noCard` when time is up, `cancelled`, `readerGone`, `serviceGone`.
    func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence

    /// Connects, begins a transaction, runs `body` on the reader's own thread, ends the transaction and disconnects
    /// with `ending`, whatever happens. `body` must not let the channel escape.
    ///
    /// - Throws: ``CardChannelError`` from connecting, or what `body` threw.
    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result

    /// Waits until the field is empty, or another card is there. Cancellable as ``waitForCard(timeout:)``.
    ///
    /// - Returns: false when time was up first.
    func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool
}

/// A card that is in the field.
public struct CardPresence: Hashable, Sendable {
    /// Answer to reset, or the one that the reader makes up for a contactless card (PC/SC part 3, 3.1.3.2.3).
    public let atr: [UInt8]
    /// Grows whenever a card comes or goes: two presences with the same number are the same card, left in place.
    public let eventCount: Int

    /// A presence as a reader reports it.
    public init(atr: [UInt8], eventCount: Int) { (self.atr, self.eventCount) = (atr, eventCount) }
}

/// What happens to the card when access to it ends (PC/SC part 5, SCardDisconnect).
public enum CardEnding: Hashable, Sendable {
    /// It stays powered; the next program goes on where this one stopped.
    case leave
    /// It is reset: state is lost, the field may stay on.
    case reset
    /// The field goes off: a phone sees the end of the tap.
    case unpower
}

/// Whether a reader can send the polling frames that make a phone present its pass by itself.
public enum PollingSupport: Hashable, Sendable {
    /// It does, by the route named.
    case automatic(route: String)
    /// It does not; `advice` tells the person what to do by hand.
    case manual(advice: String)
}
