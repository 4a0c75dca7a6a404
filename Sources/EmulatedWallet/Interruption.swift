// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Cuts the waiting of one access short.
final class Interruption: Sendable {
    enum Reason: Sendable { case cancelled, takenAway }

    private let raised = Mutex<Reason?>(nil)
    private let condition = NSCondition()

    /// Why waiting is over, if it is.
    var reason: Reason? { raised.withLock { $0 } }

    /// Ends every wait, now and later. The first reason stays.
    func raise(_ reason: Reason) {
        condition.lock()
        raised.withLock { $0 = $0 ?? reason }
        condition.broadcast()
        condition.unlock()
    }

    /// Blocks the thread for `duration`, or until raised.
    func wait(_ duration: Duration) {
        let end = Date(timeIntervalSinceNow: duration / .seconds(1))
        condition.lock()
        while reason == nil, condition.wait(until: end) {}
        condition.unlock()
    }
}
