// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// A reader behind the smart card service pcscd, by its name.
///
/// Each reader has a context and a thread of its own; blocking calls never sit on the cooperative pool, and no call
/// waits for ever (``Options``). The context is made at the first use and again after the service died; nothing is
/// leaked on the way. The library finds the service by `PCSCLITE_CSOCK_NAME`, which it reads once per process.
///
/// Thread rules: use from any task. Operations on one reader run one after another, those on two readers side by
/// side. The body given to ``withCard(ending:_:)`` runs on the reader's thread and must not wait for the same reader.
public actor PCSCReader: CardReader {
    /// The reader's name as pcscd has it, such as `ACS ACR122U PICC Interface 00 00`.
    public nonisolated let name: String
    /// The limits it was made with.
    public nonisolated let options: Options
    let slot: SessionSlot
    private(set) var lastSeen: ReaderState?

    /// A reader by its exact name. Nothing is done before the first use.
    public init(name: String, options: Options = Options()) {
        self.name = name
        self.options = options
        slot = SessionSlot(readerName: name, options: options)
    }

    /// How this reader wakes a phone, by its name.
    public var polling: PollingSupport {
        PollingRoute.route(forReaderNamed: name).support
    }

    /// Waits until a card is in the field; see `CardReader`.
    ///
    /// Survives a restart of pcscd in the middle: the wait goes on when the reader is back within
    /// ``Options/reconnectGrace``.
    public func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        let state = try await wait(timeout: timeout) { $0.hasCard }
        guard let state else {
            throw CardChannelError(.noCard, reason: "no card came in time", hint: "hold it on “\(name)”")
        }
        lastSeen = state
        return CardPresence(atr: state.atr, eventCount: state.eventCount)
    }

    /// Waits until the field is empty or another card is there; see `CardReader`.
    public func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        let seen = lastSeen
        let state = try await wait(timeout: timeout) { state in
            !state.hasCard || (seen.map { $0.eventCount != state.eventCount } ?? false)
        }
        return state != nil
    }

    /// Connects, begins a transaction, runs `body` on the reader's thread, and undoes both; see
    /// `CardReader`.
    ///
    /// When a command or the service gets stuck, this throws `timedOut` while `body` may still sit in its last
    /// transmit; that one, and each after it, throws as soon as it returns.
    /// - Throws: `CardChannelError` with `noCard`, `interfered` (another program holds the card),
    ///   `readerGone`, `serviceGone`, `timedOut`, `cancelled` (before it began); or what `body` threw.
    public func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        let name = name
        return try await slot.run { session in
            try session.withCard(in: name, ending: ending, body)
        }
    }
}
