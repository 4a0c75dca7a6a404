// SPDX-License-Identifier: Apache-2.0

/// Who waits at an emulated reader for the phone to come or to go; woken, never polling.
struct PhoneWaits {
    /// What is waited for.
    enum Wish: Sendable {
        case presence
        /// Anything but the presence with this number.
        case change(of: Int)

        func isMet(phoneIsThere: Bool, eventCount: Int) -> Bool {
            switch self {
            case .presence: phoneIsThere
            case .change(let before): !phoneIsThere || eventCount != before
            }
        }
    }

    /// How a wait ends.
    enum Ending: Sendable { case done, timeUp, cancelled }

    struct Wait: Sendable {
        let wish: Wish
        /// Called once, outside of every lock.
        let end: @Sendable (Ending) -> Void
    }

    private var waits: [Int: Wait] = [:]
    /// Whose time was up before they began.
    private var late: Set<Int> = []
    private var lastID = 0

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// False when its time is up.
    mutating func begin(_ id: Int, _ wait: Wait) -> Bool {
        guard late.remove(id) == nil else { return false }
        waits[id] = wait
        return true
    }

    /// The wait, to be ended; nil when it is over, or has not begun.
    mutating func take(_ id: Int, _ ending: Ending) -> Wait? {
        if let wait = waits.removeValue(forKey: id) { return wait }
        // Cancellation is looked at when a wait begins; of the time nobody knows then.
        if ending == .timeUp { late.insert(id) }
        return nil
    }

    /// Nobody waits under this number any more.
    mutating func forget(_ id: Int) { late.remove(id) }

    /// The waits that this ends.
    mutating func takeOver(phoneIsThere: Bool, eventCount: Int) -> [Wait] {
        let over = waits.filter { $0.value.wish.isMet(phoneIsThere: phoneIsThere, eventCount: eventCount) }
        for id in over.keys { waits[id] = nil }
        return Array(over.values)
    }
}
