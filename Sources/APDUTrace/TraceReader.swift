// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// A recorded trace as a reader: each wait for a card brings the next recorded tap.
///
/// A second ``withCard(ending:_:)`` in one tap goes on where the first stopped. When the trace is used up, waiting
/// throws `noCard` at once.
public actor TraceReader: CardReader {
    /// The answer to reset that is shown for a trace without one: a contactless card without historical bytes
    /// (PC/SC part 3, 3.1.3.2.3.1).
    public static let defaultATR: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]

    /// `replay:` and what was given as the trace's name.
    public nonisolated let name: String
    private let atr: [UInt8]
    private let channels: [ReplayChannel]
    private var current = 0
    private var isOpened = false
    private var isRemoved = false

    /// A reader to which the taps of a trace come.
    public init(_ trace: APDUTrace, name: String, matching: ReplayMatching = .exact) {
        self.name = "replay:" + name
        atr = trace.header.atr ?? Self.defaultATR
        channels = trace.taps.map { ReplayChannel($0, matching: matching) }
    }

    /// A reader to which the taps of a file come.
    public init(file path: String, matching: ReplayMatching = .exact) throws(TraceError) {
        self.init(try APDUTrace(file: path), name: path, matching: matching)
    }

    /// A recorded phone was woken when it was recorded; nothing is to be done.
    public var polling: PollingSupport { .automatic(route: "recorded trace") }

    /// The next tap, or the one that was begun when nothing divides it from what follows.
    public func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        if Task.isCancelled { throw CardChannelError(.cancelled, reason: "the wait for a card was cancelled") }
        if isOpened { advance() }
        guard current < channels.count, !(isOpened && channels[current].isUsedUp) else { throw usedUp }
        isRemoved = false
        return CardPresence(atr: atr, eventCount: current * 2 + 1)
    }

    /// Runs `body` on the current tap; a channel kept beyond it throws `unsupported`.
    public func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        if isOpened, isRemoved || channels[safe: current]?.isUsedUp != false { advance() }
        guard let channel = channels[safe: current], !(isOpened && channel.isUsedUp) else { throw usedUp }
        (isOpened, isRemoved) = (true, false)
        let scoped = ScopedChannel(channel)
        defer { scoped.end() }
        return try body(scoped)
    }

    /// A recorded card leaves as soon as nobody talks to it.
    public func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        if Task.isCancelled { throw CardChannelError(.cancelled, reason: "the wait was cancelled") }
        isRemoved = true
        return true
    }

    /// Exchanges that nobody asked for, over all taps.
    public var remaining: Int { channels.reduce(0) { $0 + $1.remaining } }

    private func advance() {
        guard current + 1 < channels.count else { return }
        current += 1
        isOpened = false
    }

    private var usedUp: CardChannelError {
        CardChannelError(.noCard, reason: "the trace is used up: no more taps were recorded")
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
