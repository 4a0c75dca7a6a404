// SPDX-License-Identifier: Apache-2.0

/// How long each step takes on top of its work, so that an app can be watched while it waits. All zero by default.
public struct Delays: Sendable, Hashable {
    /// A step that can be slowed down.
    public enum Step: String, Sendable, CaseIterable {
        /// Before an account's state is answered or changed.
        case linking
        /// Before a session is returned.
        case preparation
        /// Before each event of the same name.
        case readyForTap, cardDetected, removeCard, readCompleted, readRetry
        /// Before each event of the same name.
        case readCancelled, readNotCompleted, userInterfaceDismissed
    }

    private var durations: [Step: Duration] = [:]

    /// No delays.
    public init() {}

    /// One step's delay.
    public subscript(step: Step) -> Duration {
        get { durations[step] ?? .zero }
        set { durations[step] = max(newValue, .zero) }
    }

    /// Delays as a text has them: `readyForTap=0.5,removeCard=2`, in seconds.
    ///
    /// - Throws: ``CounterSettingError`` that names the part it cannot read.
    public init(parsing text: String) throws(CounterSettingError) {
        for part in text.split(separator: ",") where !part.allSatisfy(\.isWhitespace) {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmed }
            guard pair.count == 2, let step = Step(rawValue: pair[0]), let seconds = Double(pair[1]),
                (0...86_400).contains(seconds)
            else {
                let names = Step.allCases.map(\.rawValue).joined(separator: ", ")
                throw CounterSettingError("\"\(part)\" is no delay: write STEP=SECONDS, STEP one of \(names)")
            }
            self[step] = .seconds(seconds)
        }
    }

    func before(_ event: PaymentCardReader.Event) -> Duration {
        Step(rawValue: event.name).map { self[$0] } ?? .zero
    }
}

/// A setting of the counter that cannot be read.
public struct CounterSettingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let description: String

    /// An error with its text.
    public init(_ description: String) { self.description = description }
}

extension Substring {
    /// The text without white space at its ends.
    var trimmed: String {
        let head = drop { $0.isWhitespace }
        return String(head.reversed().drop { $0.isWhitespace }.reversed())
    }
}
