// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization
public import WalletCrypto

/// What a phone does with a command.
public enum PhoneAnswer: Hashable, Sendable {
    /// It answers with these bytes, at least two, when the time has passed.
    case response([UInt8], after: Duration)
    /// It is not in the field, or leaves it now; nothing is answered.
    case leftField
    /// It stays in the field and never answers.
    case silence
}

/// The card side of a tap: one phone with its state.
///
/// Whoever plays the reader calls ``fieldOn()``, then ``respond(to:)`` per command, then ``fieldOff()``. Methods may
/// be called from any thread; each is one step that nothing else interleaves with. No command makes it trap.
public final class EmulatedPhone: Sendable {
    /// What the phone was made from, or became. Its state has moved on since.
    public var definition: PhoneDefinition { state.withLock { $0.definition } }
    private let clock: @Sendable () -> Date
    private let random: @Sendable (Int) -> [UInt8]
    private let state: Mutex<PhoneState>

    /// A phone in its defined state, away from any field.
    ///
    /// - Parameters:
    ///   - definition: the state it begins in.
    ///   - clock: the phone's clock, which the payload's timestamp is taken from.
    ///   - random: gives that many bytes, for nonces and ephemeral keys.
    public init(
        _ definition: PhoneDefinition, clock: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable (Int) -> [UInt8] = { RandomBytes.generate($0) }
    ) {
        (self.clock, self.random) = (clock, random)
        state = Mutex(PhoneState(definition))
    }

    /// The phone comes into a field, or the field comes back: the selection is lost and a new tap is about to begin.
    ///
    /// The tap counts (``tapCount``) when its first command comes.
    /// - Returns: the answer to reset that a contactless reader makes up.
    @discardableResult public func fieldOn() -> [UInt8] {
        state.withLock { $0.fieldOn() }
        return answerToReset
    }

    /// The field goes off, or the phone leaves it.
    public func fieldOff() { state.withLock { $0.fieldOff() } }

    /// Carries out one command.
    ///
    /// - Parameter command: any bytes.
    public func respond(to command: [UInt8]) -> PhoneAnswer {
        state.withLock { $0.answer(command, clock: clock, random: random) }
    }

    /// A phone as PC/SC part 3, 3.1.3.2.3 makes up its answer to reset: `3B 8n 80 01`, then the historical bytes of
    /// the ATS, of which phones have none, then the exclusive or of all but the first byte.
    public static let answerToReset: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]

    /// A plastic card: the same with historical bytes, which say that applications are selected by name (ISO/IEC
    /// 7816-4, 12.1.1).
    public static let plasticAnswerToReset: [UInt8] = {
        let historical: [UInt8] = [0x80, 0x31, 0x80, 0x73, 0x80, 0x40, 0x00]
        let body = [0x80 | UInt8(truncatingIfNeeded: historical.count), 0x80, 0x01] + historical
        return [0x3B] + body + [body.reduce(0, ^)]
    }()

    /// What this one answers.
    public var answerToReset: [UInt8] {
        definition.plastic == nil ? Self.answerToReset : Self.plasticAnswerToReset
    }
}

/// What the owner does, and what can be looked at.
extension EmulatedPhone {
    /// Puts the phone to sleep: passes that match answer `6287`.
    public func lock() {
        state.withLock { ($0.locked, $0.authenticated) = (true, false) }
    }

    /// Face ID, Touch ID or passcode: unlocks, satisfies `requiresAuthentication`, and lets every pass be handed out
    /// again.
    public func unlock() { state.withLock { $0.authenticate() } }

    /// Double click and authentication: as ``unlock()``, and a payment card is ready (capabilities `3E`).
    public func authenticatePayment() {
        state.withLock {
            $0.authenticate()
            $0.paymentAuthenticated = true
        }
    }

    /// The payment card goes back into the wallet (capabilities `1E`).
    public func disarmPayment() { state.withLock { $0.paymentAuthenticated = false } }

    /// The card declines its next transaction; the one after that is as defined.
    public func declineNextPayment() { state.withLock { $0.declineNext() } }

    /// How many payments have begun (GET PROCESSING OPTIONS was answered).
    public var paymentCount: Int { state.withLock { $0.payment?.transactionCount ?? 0 } }

    /// Adds a payment card, which takes the place of the one the phone paid with. The owner must authenticate it before
    /// it pays, unless it is `armed` or `express`. A plastic card takes none.
    public func add(paymentCard card: PaymentCard) {
        guard definition.plastic == nil else { return }
        state.withLock { $0.add(card) }
    }

    /// Shows one pass on screen, by pass type identifier or serial number; nil shows none.
    public func choose(_ pass: String?) { state.withLock { $0.chosenPass = pass } }

    /// Becomes another phone, away from any field. It has made no tap.
    public func become(_ definition: PhoneDefinition) { state.withLock { $0 = PhoneState(definition) } }

    /// Leaves the field at this command of each tap, counted from 1; nil stays to the end.
    public func leaveField(at command: Int?) {
        state.withLock { ($0.definition.leavesFieldAt, $0.definition.leavesFieldTaps) = (command, nil) }
    }

    /// Milliseconds before each answer; less than 0 counts as 0.
    public var answerDelay: Int {
        get { state.withLock { $0.definition.answerDelay } }
        set { state.withLock { $0.definition.answerDelay = max(0, newValue) } }
    }

    /// The pass on screen, as ``choose(_:)`` had it; nil shows none.
    public var chosenPass: String? { state.withLock { $0.chosenPass } }
    /// Whether a payment card is ready to pay.
    public var isPaymentArmed: Bool { state.withLock { $0.paymentAuthenticated } }
    /// Whether the phone is locked.
    public var isLocked: Bool { state.withLock { $0.locked } }
    /// The last 100 URLs that readers pushed, oldest first.
    public var receivedURLs: [String] { state.withLock { $0.receivedURLs } }
    /// How many taps have begun.
    public var tapCount: Int { state.withLock { $0.tapCount } }
    /// Whether the phone is in a field.
    public var isInField: Bool { state.withLock { $0.isInField } }
    /// Passes handed out since the last authentication, in the wallet's order.
    public var alreadyRead: [PhoneDefinition.Pass] {
        state.withLock { state in state.alreadyRead.sorted().map { state.definition.passes[$0] } }
    }
}
