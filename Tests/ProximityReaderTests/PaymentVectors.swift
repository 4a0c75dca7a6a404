// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import BERTLV
import Foundation
import ISO7816
import Synchronization

@testable import ProximityReader

/// One exchange of a recorded or composed tap.
struct RecordedExchange: Sendable {
    let command: [UInt8]
    let response: [UInt8]
}

/// A card that answers by meaning: SELECT by its name, GET VAS DATA by merchant, the others by instruction and
/// parameters. Exchanges that nobody asks for are passed over; what is not there is refused. At the end the card is gone.
final class LooseChannel: CardChannel {
    private let exchanges: [RecordedExchange]
    private let cut: Int
    private let state = Mutex((position: 0, sent: [[UInt8]]()))

    init(_ exchanges: [RecordedExchange], cut: Int = .max) { (self.exchanges, self.cut) = (exchanges, cut) }

    var sent: [[UInt8]] { state.withLock { $0.sent } }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let answer: [UInt8]? = state.withLock { state in
            state.sent.append(command)
            guard state.sent.count <= cut else { return nil }
            let rest = exchanges.indices.dropFirst(state.position)
            if let found = rest.first(where: { Self.meaning(exchanges[$0].command) == Self.meaning(command) }) {
                state.position = found + 1
                return exchanges[found].response
            }
            return rest.isEmpty ? nil : [0x6A, 0x82]
        }
        guard let answer else { throw CardChannelError(.cardGone, reason: "the recorded tap is over") }
        return answer
    }

    private static func meaning(_ command: [UInt8]) -> [UInt8] {
        guard command.count >= 5, let apdu = try? CommandAPDU(command) else { return command }
        switch command[1] {
        case 0xA4: return Array(command.prefix(4)) + apdu.data
        case 0xCA:
            let objects = (try? TLV.read(apdu.data[...])) ?? []
            let merchant: [UInt8] = objects.first { $0.tag == 0x9F25 }?.bytes ?? []
            return Array(command.prefix(4)) + merchant
        case 0xAE: return Array(command.prefix(2))
        default: return Array(command.prefix(4))
        }
    }
}

/// A reader to which recorded taps come, one after another, and then no card any more.
final class TapsReader: CardReader {
    private let taps: [[RecordedExchange]]
    private let cut: (tap: Int, after: Int)?
    private let next = Mutex(0)
    private let logs = Mutex([[[UInt8]]]())

    init(_ taps: [[RecordedExchange]], cut: (tap: Int, after: Int)? = nil) { (self.taps, self.cut) = (taps, cut) }

    let name = "taps"
    var polling: PollingSupport { .manual(advice: "none") }
    /// What was sent in each tap.
    var sent: [[[UInt8]]] { logs.withLock { $0 } }

    func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        let number = next.withLock { next in
            next += 1
            return next
        }
        guard number <= taps.count else { throw CardChannelError(.noCard, reason: "no more taps") }
        return CardPresence(atr: [0x3B, 0x80, 0x80, 0x01, 0x01], eventCount: number)
    }

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        let number = next.withLock { $0 } - 1
        let channel = LooseChannel(taps[number], cut: cut?.tap == number ? cut?.after ?? .max : .max)
        defer { logs.withLock { $0.append(channel.sent) } }
        return try body(channel)
    }

    func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool { true }
}

/// The conformance vectors, when there are some.
enum PaymentVectors {
    static let folder = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"].map { $0 + "/emv/" }
    static let isThere = folder != nil

    static func json(_ path: String) -> [String: Any] {
        guard let folder, let data = FileManager.default.contents(atPath: folder + path) else { return [:] }
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }

    static func exchanges(_ rows: [[String: Any]]) -> [RecordedExchange] {
        rows.compactMap { row in
            guard let command = (row["c"] as? String).flatMap({ try? Hex.decode($0) }),
                let response = (row["r"] as? String).flatMap({ try? Hex.decode($0) })
            else { return nil }
            return RecordedExchange(command: command, response: response)
        }
    }

    /// The composed scenarios of one tap.
    static let scenarios: [OneTapScenario] = (json("composed/one-tap.json")["scenarios"] as? [[String: Any]] ?? [])
        .compactMap(OneTapScenario.init)

    /// Names of the recorded traces.
    static let traces: [String] = {
        guard let folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "traces")) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted()
    }()
}
