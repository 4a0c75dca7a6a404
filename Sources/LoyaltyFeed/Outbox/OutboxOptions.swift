// SPDX-License-Identifier: Apache-2.0

public import HostSystem
public import WalletCrypto

/// Which counter the events come from.
public struct CounterIdentity: Hashable, Sendable {
    /// The counter's `id`: letters, digits, `-` and `_`.
    public let id: String
    /// The tenant; `default` when not configured.
    public let tenant: String
    /// The store, likewise.
    public let store: String

    /// An identity from its parts.
    public init(id: String, tenant: String = "default", store: String = "default") {
        (self.id, self.tenant, self.store) = (id, tenant, store)
    }

    /// CloudEvents `source`: `/counters/c1`, or with a store `/stores/0042/counters/c1`.
    public var source: String { (store == "default" ? "" : "/stores/\(store)") + "/counters/\(id)" }
}

/// What can be set about an outbox.
public struct OutboxOptions: Sendable {
    /// How long the events of a tap wait for a basket; zero is not at all.
    public var basketWindow: Duration = .zero
    /// How many days taps are kept after every sink has them or gave them up.
    public var keepDays = 7
    /// How many days a pass waits for its key before it is dropped: days during which the counter runs.
    public var parkedDays = 30
    /// The key of ``TapEvent/partitionKey``. nil is one of this outbox's own, so that keys of two counters differ; who
    /// gives counters the same one gets the same keys from all of them. The configuration has no name for it.
    public var partitionSecret: SecretBytes?
    /// What is taken for the time.
    public var clock = HostTime.system
    /// Where random bytes come from.
    public var random: @Sendable (Int) -> [UInt8] = { RandomBytes.generate($0) }
    /// Pages of the write-ahead log after which it goes into the database; a test sets 0, which is never.
    package var checkpointPages = 1000
    /// Bytes of a page of a new database.
    package var pageSize = 4096
    /// Pages that the database may have at most, for tests of a full disk.
    package var maximumPages: Int?

    /// The defaults.
    public init() {}
}
