// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A value that arrives once; what is given after the first is dropped. One task waits for it.
final class FirstValue<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, Never>)
        case given(Value)
    }

    private let state = Mutex(State.empty)

    /// Gives the value.
    /// - Returns: whether it was the first.
    @discardableResult func give(_ value: Value) -> Bool {
        let (first, waiter): (Bool, CheckedContinuation<Value, Never>?) = state.withLock { state in
            switch state {
            case .given: return (false, nil)
            case .empty:
                state = .given(value)
                return (true, nil)
            case .waiting(let waiter):
                state = .given(value)
                return (true, waiter)
            }
        }
        waiter?.resume(returning: value)
        return first
    }

    /// The value, when it is there.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let given: Value? = state.withLock { state in
                    if case .given(let value) = state { return value }
                    state = .waiting(continuation)
                    return nil
                }
                if let given { continuation.resume(returning: given) }
            }
        }
    }
}
