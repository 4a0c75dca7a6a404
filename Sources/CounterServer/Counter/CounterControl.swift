// SPDX-License-Identifier: Apache-2.0

public import LoyaltyFeed

/// What the counter at work offers to its HTTP side. All members may be used from any task.
public protocol CounterControl: Sendable {
    /// What the counter is doing.
    var state: CounterState { get }
    /// A new stream for each call: the present state at once, then each change. A slow reader misses older states, never
    /// the last.
    var states: AsyncStream<CounterState> { get }
    /// The readers there are, the counter's own first.
    func readers() async -> [ReaderStatus]
    /// The emulated phone.
    /// - Throws: `noWallet` where taps come from a real reader or a trace.
    func wallet() throws(ControlError) -> WalletView
    /// Changes the emulated phone, from the next tap on.
    /// - Throws: `noWallet`, `invalidChange`, `unreadableDefinition`.
    func changeWallet(_ change: WalletChange) async throws(ControlError) -> WalletView
    /// Taps the emulated phone once and waits until what came of it is durable. Calls queue; each is one tap.
    /// - Throws: `noWallet`, `notKept` (the outbox cannot be written), `stopped`, `unavailable`.
    func tapOnce() async throws(ControlError) -> TapOutcome
    /// Runs a recorded tap through the reading code once more. Nothing is kept and no event is made.
    /// - Parameter trace: the text of an `.apdu` file.
    /// - Throws: `invalidTrace`.
    func replay(_ trace: String) async throws(ControlError) -> ReplayReport
    /// Whether the process does its work (`/healthz`).
    func health() async -> HealthReport
    /// Whether a tap would be read and kept now (`/readyz`).
    func readiness() async -> HealthReport
    /// Prometheus text, version 0.0.4.
    func metricsText() async -> String
}

/// What a counter is doing, for the screen in front of it.
public struct CounterState: Hashable, Sendable {
    /// The kinds of state; the raw value stands in `/v1/live`.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Nothing was opened yet.
        case starting
        /// A phone may come.
        case ready
        /// A phone is being read.
        case hold
        /// It was read, and the result is on the disk.
        case done
        /// It was not read; the phone may come again.
        case retry
        /// There is no reader just now.
        case away
        /// The counter was told to end, or its trace is used up.
        case stopped
    }

    /// The kind.
    public let phase: Phase
    /// One sentence for the person behind the counter. Never anything of a pass or a card.
    public let text: String

    /// A state from its parts.
    public init(_ phase: Phase, _ text: String) { (self.phase, self.text) = (phase, text) }
}

/// One reader, as the pages list it.
public struct ReaderStatus: Hashable, Sendable {
    /// Its name, such as `ACS ACR122U PICC Interface 00 00` or `emulated:phone.json`.
    public var name: String
    /// `pcsc`, `emulated` or `replay`.
    public var kind: String
    /// Whether the counter reads with it.
    public var isUsed: Bool
    /// Whether it is there.
    public var isConnected: Bool
    /// What the person has to do to wake a phone; nil where the reader does it.
    public var advice: String?
    /// How often it came back after it was gone.
    public var recoveries: Int
    /// Why it is not there.
    public var problem: String?

    /// A status from its parts.
    public init(
        name: String, kind: String, isUsed: Bool, isConnected: Bool, advice: String? = nil, recoveries: Int = 0
    ) {
        (self.name, self.kind, self.isUsed, self.isConnected) = (name, kind, isUsed, isConnected)
        (self.advice, self.recoveries) = (advice, recoveries)
    }
}

/// What came of one tap of the emulated phone.
public struct TapOutcome: Hashable, Sendable {
    /// The tap's identifier in the outbox.
    public let id: ULID
    /// Its events, parked ones too; empty when it gave none.
    public let events: [ULID]
    /// Why it gave none.
    public let failure: TapReason?
    /// Identifiers of keys that parked passes wait for.
    public let missingKeys: [String]

    /// An outcome from its parts.
    public init(id: ULID, events: [ULID], failure: TapReason? = nil, missingKeys: [String] = []) {
        (self.id, self.events, self.failure, self.missingKeys) = (id, events, failure, missingKeys)
    }
}

/// What came of running a recorded tap again.
public struct ReplayReport: Hashable, Sendable {
    /// Whether the reading code asked for the same and made the same of it.
    public let isSame: Bool
    /// What happened, line by line, for people.
    public let lines: [String]

    /// A report from its parts.
    public init(isSame: Bool, lines: [String]) { (self.isSame, self.lines) = (isSame, lines) }
}

/// Whether the service is well, with what is wrong.
public struct HealthReport: Hashable, Sendable {
    /// One part.
    public struct Check: Hashable, Sendable {
        /// `loop`, `outbox`, `reader`, `http`.
        public let name: String
        /// Whether it is well.
        public let isFine: Bool
        /// What is wrong, or what it is.
        public let text: String

        /// A check from its parts.
        public init(_ name: String, isFine: Bool, _ text: String) {
            (self.name, self.isFine, self.text) = (name, isFine, text)
        }
    }

    /// Every part that was looked at.
    public let checks: [Check]
    /// Whether all of them are well.
    public var isFine: Bool { checks.allSatisfy(\.isFine) }

    /// A report from its checks.
    public init(_ checks: [Check]) { self.checks = checks }
}

/// Why something that was asked of the counter was not done. Compare ``code``; the texts are for people.
public struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no emulated phone.
        public static let noWallet = Code(rawValue: "noWallet")
        /// A value that the phone cannot have.
        public static let invalidChange = Code(rawValue: "invalidChange")
        /// The phone's file cannot be read.
        public static let unreadableDefinition = Code(rawValue: "unreadableDefinition")
        /// The outbox could not be written.
        public static let notKept = Code(rawValue: "notKept")
        /// The counter is ending.
        public static let stopped = Code(rawValue: "stopped")
        /// The counter cannot read just now.
        public static let unavailable = Code(rawValue: "unavailable")
        /// A trace that cannot be read.
        public static let invalidTrace = Code(rawValue: "invalidTrace")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong, in one sentence without a full stop.
    public let reason: String
    /// What to do about it, if that is known.
    public let hint: String?

    /// An error value.
    public init(_ code: Code, _ reason: String, hint: String? = nil) {
        (self.code, self.reason, self.hint) = (code, reason, hint)
    }

    /// The reason, with the hint if there is one.
    public var description: String { reason + (hint.map { "; \($0)" } ?? "") }
}
