// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// A clock that stands still until it is moved.
public final class FixedClock: Sendable {
    private let current: Mutex<Date>

    /// A clock that shows `date`; by default 2026-01-01T12:00:00Z.
    public init(_ date: Date = Date(timeIntervalSince1970: 1_767_268_800)) { current = Mutex(date) }

    /// What it shows.
    public var now: Date { current.withLock { $0 } }

    /// The clock as a closure, which is how clocks are injected.
    public var read: @Sendable () -> Date { { self.now } }

    /// Sets it to another date.
    public func set(_ date: Date) { current.withLock { $0 = date } }

    /// Moves it by so many seconds; backwards too.
    public func advance(by seconds: TimeInterval) { current.withLock { $0.addTimeInterval(seconds) } }
}
