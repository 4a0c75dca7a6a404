// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import Foundation
import ISO7816
import Synchronization

/// Commands of a VAS tap in the forms that terminals use.
enum Commands {
    static let select = CommandAPDU.select(.valueAddedServices).bytes

    /// GET VAS DATA for a merchant whose identifier is 32 times `merchant`.
    static func getVASData(
        _ merchant: UInt8, nonce: UInt32 = 0, p1: UInt8 = 1, p2: UInt8 = 1, urlFirst: Bool = false, le: Int? = 256
    ) throws -> [UInt8] {
        let version: [UInt8] = [0x9F, 0x22, 0x02, 0x01, 0x00]
        let identifier: [UInt8] = [0x9F, 0x25, 0x20] + [UInt8](repeating: merchant, count: 32)
        let fresh = [0x9F, 0x28, 0x04] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: nonce >> $0) }
        let url: [UInt8] = [0x9F, 0x29, 0x01, 0x68]
        let data = urlFirst ? url + identifier + version : version + identifier + fresh
        return try CommandAPDU(cla: 0x80, ins: 0xCA, p1: p1, p2: p2, data: data, ne: le).bytes
    }

    /// An answer to GET VAS DATA: `70 { 9F27 key id, body }`.
    static func answer(keyID: UInt8 = 0xA1, _ body: [UInt8]) -> [UInt8] {
        let value = [UInt8](repeating: keyID, count: 4) + body
        return [0x70, UInt8(value.count + 3), 0x9F, 0x27, UInt8(value.count)] + value + [0x90, 0x00]
    }
}

extension CardChannel {
    /// Sends a command in hex.
    func send(_ hex: String) throws -> String { Hex.encode(try transmit(try Hex.decode(hex))) }
}

/// A reader whose cards follow a script; every wait brings the next of its presences.
final class ScriptedReader: CardReader {
    let name = "scripted"
    var polling: PollingSupport { .manual(advice: "none") }
    private let card: ScriptedChannel
    private let presences: Mutex<[CardPresence]>
    private let removals: Mutex<[Bool]>

    init(_ steps: [ScriptedChannel.Step], presences: [CardPresence] = [], removals: [Bool] = []) {
        card = ScriptedChannel(steps)
        self.presences = Mutex(presences.reversed())
        self.removals = Mutex(removals.reversed())
    }

    func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        guard let presence = presences.withLock({ $0.popLast() }) else {
            throw CardChannelError(.noCard, reason: "no card came")
        }
        return presence
    }

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result { try body(card) }

    func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        removals.withLock { $0.popLast() } ?? true
    }
}

/// A clock that goes on by its own step at each look.
final class SteppingClock: Sendable {
    private let state: Mutex<(time: Duration, looks: Int)> = Mutex((.seconds(100), 0))
    private let step: @Sendable (_ look: Int) -> Duration

    init(_ step: @escaping @Sendable (_ look: Int) -> Duration) { self.step = step }

    @Sendable func now() -> Duration {
        state.withLock { state in
            defer { state = (state.time + step(state.looks), state.looks + 1) }
            return state.time
        }
    }
}

/// Commands near those of a VAS tap, with random changes.
struct SeededRandomCommands {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func next() throws -> [UInt8] {
        let bytes =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: Commands.select
            case 1: try Commands.getVASData(0xAA, nonce: 1)
            default: random.bytes(Int.random(in: 0...20, using: &random))
            }
        return Bool.random(using: &random) ? random.mutate(bytes) : bytes
    }
}
