// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Values that come from any thread.
final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    func add(_ value: Value) { values.withLock { $0.append(value) } }
}
