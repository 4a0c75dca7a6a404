// SPDX-License-Identifier: Apache-2.0

/// A reader around another one, which does everything as its base does but for what it says itself.
public protocol CardReaderDecorator: CardReader {
    /// The reader inside.
    var base: any CardReader { get }
}

extension CardReaderDecorator {
    /// The base's name.
    public var name: String { base.name }

    /// The base's own.
    public var polling: PollingSupport { get async { await base.polling } }

    /// Waits as the base does.
    public func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        try await base.waitForCard(timeout: timeout)
    }

    /// Runs `body` on the base's channel.
    public func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result { try await base.withCard(ending: ending, body) }

    /// Waits as the base does.
    public func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        try await base.waitForRemoval(timeout: timeout)
    }
}
