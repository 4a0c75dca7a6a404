// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// How a reader can be made to send Apple's polling frames (ECP), which make a phone present its pass by itself.
///
/// A route is data: byte sequences with their source. Commands of a vendor can upset another vendor's reader, so a
/// route is chosen by the reader's name alone, and unknown readers are sent nothing.
public struct PollingRoute: Sendable, Identifiable {
    /// What the terminal asks for; the last byte of the frame (kormax, apple-enhanced-contactless-polling).
    public enum Mode: UInt8, CaseIterable, Sendable {
        /// A pass or a payment card.
        case vasOrPayment = 0
        /// A pass and a payment card.
        case vasAndPayment = 1
        /// A pass only.
        case vasOnly = 2
        /// A payment card only.
        case paymentOnly = 3
    }

    /// How a command reaches the reader.
    public enum Transport: Hashable, Sendable {
        /// SCardControl with the escape code of the CCID driver; needs no card.
        case escape
        /// As a pseudo APDU by SCardTransmit; needs a card connection.
        case transmit
    }

    /// One command of a route.
    public struct Step: Sendable {
        /// What it does.
        public let purpose: String
        /// The bytes for a mode.
        public let bytes: @Sendable (Mode) -> [UInt8]
        /// Where the bytes are from.
        public let source: String
        /// How an answer that means "done" ends; empty when any answer will do (a polling frame has no answer).
        public let successSuffix: [UInt8]
        /// Whether the step belongs to each polling round; the others are sent once, before or after.
        public let isRepeated: Bool
        /// Whether it is sent even after an earlier step failed: it leaves the reader as it was.
        public let isCleanUp: Bool
    }

    /// The route's short name, stable over versions.
    public let id: String
    /// What it is, for people.
    public let title: String
    /// The readers it is for: each word list is a pattern, all of whose words are in the reader's name, in any case.
    public let namePatterns: [[String]]
    /// How the commands are sent.
    public let transport: Transport
    /// The commands, in order.
    public let steps: [Step]
    /// Whether it was ever seen to work on a reader of flesh and blood by this project. Honest, so false so far.
    public let triedOnHardware: Bool
    /// What to know before using it.
    public let note: String

    /// The frame without its CRC: ECP version 1, terminal type 0000 (kormax, apple-enhanced-contactless-polling).
    public static func frame(_ mode: Mode) -> [UInt8] { [0x6A, 0x01, 0x00, 0x00, mode.rawValue] }

    /// The frame with CRC_A, as it goes on air.
    public static func frameWithCRC(_ mode: Mode) -> [UInt8] {
        let frame = frame(mode)
        return frame + CRCA.bytes(of: frame)
    }

    /// The route for a reader, by its name; ``none`` when the table has no other.
    public static func route(forReaderNamed name: String) -> PollingRoute {
        let name = name.lowercased()
        return all.first { route in
            route.namePatterns.contains { $0.allSatisfy { name.contains($0.lowercased()) } }
        } ?? none
    }

    /// The route in the terms of `CardReader`: automatic only when it was seen to work.
    public var support: PollingSupport {
        guard !steps.isEmpty else { return .manual(advice: Self.advice) }
        guard triedOnHardware else {
            return .manual(
                advice: Self.advice + ". A route to wake the phone is known for this reader (\(title)), but it was "
                    + "never tried on hardware")
        }
        return .automatic(route: title)
    }

    /// What the person does when nothing wakes the phone. VAS works without polling frames: only the automatic
    /// display of the pass needs them (kormax).
    public static let advice =
        "this reader does not wake the phone: open the pass in Wallet (double-click the side button or open the app), "
        + "then hold the phone on the reader"

    /// What a run of the route did.
    public struct Report: Hashable, Sendable {
        /// How many commands the reader took.
        public var accepted = 0
        /// The purpose of the first one that it refused, nil when it took all.
        public var refused: String?
    }

    /// Sends the route's commands through `send`: steps of a round `rounds` times, in an uninterrupted field.
    ///
    /// The phone decides after one to three rounds (kormax), so two or more are needed.
    /// - Parameters:
    ///   - mode: what the frame asks phones for.
    ///   - rounds: how often; 1 or more.
    ///   - send: passes bytes to the reader by the route's ``transport`` and returns its answer.
    /// - Returns: what the reader took; a refusal is a value, not an error.
    /// - Throws: what `send` throws, after the clean-up steps were sent.
    public func run<Failure: Error>(
        mode: Mode, rounds: Int = 3, _ send: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Report {
        var report = Report()
        let first = steps.prefix { !$0.isRepeated && !$0.isCleanUp }
        let round = steps.filter(\.isRepeated)
        do throws(Failure) {
            for step in first where report.refused == nil { try take(step, mode, &report, send) }
            for _ in 0..<max(rounds, 0) where report.refused == nil {
                for step in round where report.refused == nil { try take(step, mode, &report, send) }
            }
        } catch {
            for step in steps where step.isCleanUp { _ = try? send(step.bytes(mode)) }
            throw error
        }
        for step in steps where step.isCleanUp { _ = try send(step.bytes(mode)) }
        return report
    }

    private func take<Failure: Error>(
        _ step: Step, _ mode: Mode, _ report: inout Report, _ send: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        let answer = try send(step.bytes(mode))
        if answer.suffix(step.successSuffix.count) == step.successSuffix[...] {
            report.accepted += 1
        } else {
            report.refused = step.purpose
        }
    }
}
