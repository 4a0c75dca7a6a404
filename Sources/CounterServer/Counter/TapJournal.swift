// SPDX-License-Identifier: Apache-2.0

public import LoyaltyFeed

/// Where taps are kept. The outbox is one; tests have others.
public protocol TapJournal: Sendable {
    /// Keeps a tap: it is durable when this returns.
    /// - Returns: the identifiers of its events, parked ones too.
    func keep(_ tap: TapRecord) async throws -> [ULID]
}

extension Outbox: TapJournal {
    /// Commits the tap.
    public func keep(_ tap: TapRecord) async throws -> [ULID] { try await commit(tap).events.map(\.id) }
}
