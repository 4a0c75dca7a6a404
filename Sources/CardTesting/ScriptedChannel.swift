// SPDX-License-Identifier: Apache-2.0

public import ISO7816
import Synchronization

/// A card that follows a script and checks what it is told. Usable from any thread.
public final class ScriptedChannel: CardChannel, Sendable {
    /// One step of the script.
    public struct Step: Sendable {
        /// The command that must come, nil for any.
        public let command: [UInt8]?
        /// What the card does then.
        public let outcome: Result<[UInt8], CardChannelError>
    }

    private let state: Mutex<(steps: ArraySlice<Step>, received: [[UInt8]])>

    /// Follows these steps.
    public init(_ steps: [Step]) { state = Mutex((steps[...], [])) }

    /// Every command that came, also those that did not fit.
    public var received: [[UInt8]] { state.withLock { $0.received } }

    /// Steps that are still to come.
    public var remaining: Int { state.withLock { $0.steps.count } }

    /// The step's response or fault; `mismatch` when another command was expected or none.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let outcome: Result<[UInt8], CardChannelError> = state.withLock { state in
            state.received.append(command)
            let number = state.received.count
            guard let step = state.steps.first else {
                return .failure(CardChannelError(.mismatch, reason: "the script is over at command \(number)"))
            }
            if let expected = step.command, expected != command {
                let texts = "expected \(Hex.encode(expected)), got \(Hex.encode(command))"
                return .failure(CardChannelError(.mismatch, reason: "command \(number): \(texts)"))
            }
            state.steps.removeFirst()
            return step.outcome
        }
        return try outcome.get()
    }
}

extension ScriptedChannel.Step {
    /// A command and its answer.
    public static func expect(_ command: [UInt8], answer: [UInt8]) -> Self {
        Self(command: command, outcome: .success(answer))
    }

    /// An answer to whatever comes.
    public static func answer(_ response: [UInt8]) -> Self { Self(command: nil, outcome: .success(response)) }

    /// A fault instead of an answer, whatever comes.
    public static func fault(_ error: CardChannelError) -> Self { Self(command: nil, outcome: .failure(error)) }
}
