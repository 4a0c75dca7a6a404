// SPDX-License-Identifier: Apache-2.0

import ISO7816
import Synchronization

/// A reader whose card comes so many times and never again.
final class LimitedReader: CardReaderDecorator {
    let base: any CardReader
    private let left: Mutex<Int>

    init(_ base: any CardReader, taps: Int) {
        self.base = base
        left = Mutex(taps)
    }

    func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        let comes = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard comes else { throw CardChannelError(.noCard, reason: "no card came") }
        return try await base.waitForCard(timeout: timeout)
    }
}

/// A reader that fails in one way, in the wait or in the exchange.
struct FailingReader: CardReader {
    enum Place: Sendable, CaseIterable { case wait, connect, transmit }

    let place: Place
    let code: CardChannelError.Code
    let name = "failing"
    var polling: PollingSupport { .manual(advice: "none") }

    private var error: CardChannelError { CardChannelError(code, reason: "made to fail") }

    func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        if place == .wait { throw error }
        return CardPresence(atr: [0x3B, 0x80, 0x80, 0x01, 0x01], eventCount: 1)
    }

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        if place == .connect { throw error }
        return try body(Channel(error: error))
    }

    func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool { true }

    private struct Channel: CardChannel {
        let error: CardChannelError
        func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] { throw error }
    }
}

/// A reader that answers SELECT as an Apple wallet and then one status word for ever.
struct StatusReader: CardReader {
    let status: StatusWord
    var data: [UInt8] = []
    let name = "status"
    var polling: PollingSupport { .manual(advice: "none") }

    func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        CardPresence(atr: [0x3B, 0x80, 0x80, 0x01, 0x01], eventCount: 1)
    }

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        try body(Channel(status: status, data: data))
    }

    func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool { true }

    private struct Channel: CardChannel {
        let status: StatusWord
        let data: [UInt8]

        func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
            guard command.dropFirst().first == 0xA4 else { return data + status.bytes }
            let name = Array("ApplePay".utf8)
            return [0x6F, 0x0F + 7, 0x50, 8] + name + [0x9F, 0x21, 2, 1, 0, 0x9F, 0x23, 4, 0, 0, 0, 0x1E] + [0x90, 0]
        }
    }
}
