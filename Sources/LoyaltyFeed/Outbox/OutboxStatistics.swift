// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Date

/// How full an outbox is.
public struct OutboxStatistics: Hashable, Sendable {
    /// Taps that are kept.
    public let taps: Int
    /// The last sequence that was given; 0 before the first.
    public let lastSequence: UInt64
    /// The last position that was given; 0 before the first.
    public let lastPosition: Int64
    /// Events that some sink in use still waits for, and events that were not released yet.
    public let depth: Int
    /// When the oldest of these was read.
    public let oldest: Date?
    /// Passes that wait for their key.
    public let parked: Int
    /// Each sink that is in use.
    public let sinks: [SinkStatistics]
}

/// How far a sink is.
public struct SinkStatistics: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// The last position that it has, or that went aside.
    public let cursor: Int64
    /// Events that it waits for, those aside too.
    public let depth: Int
    /// When the oldest of these was read.
    public let oldest: Date?
    /// Events aside that are tried again.
    public let retrying: Int
    /// Events that were given up.
    public let dead: Int
    /// Whether it said that it wants no more.
    public let isDisabled: Bool
    /// What the last attempt with the next event came to, while the sink is disabled or held; nil when it takes events.
    public let trouble: String?
    /// When it is tried again, while it does not take events; nil when it does.
    public let heldUntil: Date?
}
