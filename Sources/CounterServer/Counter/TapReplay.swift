// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import EMVContactless
internal import Foundation
internal import ISO7816
internal import ProximityReader
internal import Synchronization

/// A recorded tap, run through the reading code again: nothing is decrypted or kept.
struct TapReplay {
    private let setting: CounterSetting

    init(_ setting: CounterSetting) { self.setting = setting }

    func run(_ text: String) async throws(ControlError) -> ReplayReport {
        let trace: APDUTrace
        do { trace = try APDUTrace(parsing: text) } catch {
            throw ControlError(.invalidTrace, "the trace cannot be read: \(error)")
        }
        guard !trace.exchanges.isEmpty else { throw ControlError(.invalidTrace, "the trace has no exchange") }
        let notes = Notes()
        let reader = TraceReader(trace, name: "replay", matching: .byMeaning)
        let again = await read(reader, notes)
        let comparison = TraceComparison(trace.bare, again.bare)
        let verdict = comparison.isEqual ? "the same exchanges" : "\(comparison.differences.count) differences"
        return ReplayReport(
            isSame: comparison.isEqual, lines: notes.lines + [verdict] + comparison.differences.map(\.description))
    }

    /// What the reading code says to the recorded card, recorded again.
    private func read(_ reader: TraceReader, _ notes: Notes) async -> APDUTrace {
        let slot = ReaderSlot(what: "replay")
        var configuration = ProximityReader.Counter.Configuration(reader: .custom(reader))
        configuration.policy = setting.policy(isEmulated: true)
        configuration.payment = setting.payment
        configuration.wrapReader = { slot.install($0) }
        configuration.eventHandler = { notes.add($0.name) }
        configuration.tapHandler = { tap in
            for (identifier, status) in tap.statusWords.sorted(by: { $0.key < $1.key }) {
                notes.add("\(identifier): \(status)")
            }
            if let payment = tap.payment { notes.add("payment: \(payment.value.rawValue), \(payment.reason.text)") }
        }
        do { try await Reading(configuration, setting).read() } catch { notes.add(Absence.words(error)) }
        return slot.trace ?? APDUTrace()
    }

    private final class Notes: Sendable {
        private let list = Mutex<[String]>([])
        var lines: [String] { list.withLock { $0 } }
        func add(_ line: String) { list.withLock { $0.append(line) } }
    }
}

extension APDUTrace {
    /// Exchanges without what differs between two recordings of the same tap: header, times, comments.
    fileprivate var bare: APDUTrace {
        APDUTrace(
            taps: taps.map { tap in
                Tap(
                    exchanges: tap.exchanges.map {
                        TraceExchange(command: Self.blanked($0.command), response: $0.response)
                    },
                    lost: tap.lost.map { LostCommand(command: Self.blanked($0.command)) })
            })
    }

    /// GET PROCESSING OPTIONS, GENERATE AC, COMPUTE CRYPTOGRAPHIC CHECKSUM and INTERNAL AUTHENTICATE carry a random
    /// number and the time (EMV Book 3, 6.5; Book C-2, 5.2): their data field does not count.
    private static let transactionCommands: Set<[UInt8]> = [[0x80, 0xA8], [0x80, 0xAE], [0x80, 0x2A], [0x00, 0x88]]

    private static func blanked(_ command: [UInt8]) -> [UInt8] {
        guard command.count > 5, transactionCommands.contains(Array(command.prefix(2))) else { return command }
        return command.prefix(5) + [UInt8](repeating: 0, count: command.count - 5)
    }
}
