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
    /// What phones are asked for while somebody waits; nil sends no polling frames.
    private var wakeMode: PollingRoute.Mode?

    /// A reader by its exact name. Nothing is done before the first use.
    public init(name: String, options: Options = Options()) {
        self.name = name
        self.options = options
        wakeMode = options.wakesPhone
        slot = SessionSlot(readerName: name, options: options)
    }

    /// Changes what the polling frames of the next wait ask phones for. Without ``Options/wakesPhone`` none are sent.
    public func setWakeMode(_ mode: PollingRoute.Mode) {
        if options.wakesPhone != nil { wakeMode = mode }
    }

    /// How this reader wakes a phone, by its name and ``Options/wakesPhone``.
    public var polling: PollingSupport {
        let route = pollingRoute
        guard options.wakesPhone != nil, !route.steps.isEmpty, !route.triedOnHardware else { return route.support }
        return .automatic(route: route.title + ", never tried on hardware")
    }

    /// Waits until a card is in the field; see `CardReader`.
    ///
    /// Survives a restart of pcscd in the middle: the wait goes on when the reader is back within
    /// ``Options/reconnectGrace``. With ``Options/wakesPhone`` the reader's polling frames are sent every
    /// ``Options/wakeInterval`` meanwhile, until the reader refuses them.
    public func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        let end = timeout.map { ContinuousClock.now + $0 }
        var wakes = wakeMode
        while true {
            let left = end.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
            let slice = wakes == nil ? left : min(left ?? options.wakeInterval, options.wakeInterval)
            if let state = try await wait(timeout: slice, until: { $0.hasCard }) {
                lastSeen = state
                return CardPresence(atr: state.atr, eventCount: state.eventCount)
            }
            if let end, ContinuousClock.now >= end { break }
            if let mode = wakes, await !wake(mode) { wakes = nil }
        }
        throw CardChannelError(.noCard, reason: "no card came in time", hint: "hold it on “\(name)”")
    }

    /// Whether the reader took the frames. A reader that does not is as good as one without a route.
    private func wake(_ mode: PollingRoute.Mode) async -> Bool {
        guard let report = try? await wakePhone(mode) else { return false }
        return report.refused == nil
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
