// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// A connection with a ``RequestClock`` before all that it has otherwise, TLS included.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: Base
    let limits: ServerLimits
    let onTimeout: @Sendable (RequestClock.Phase) -> Void

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(RequestClock(limits, onTimeout: onTimeout))
        }.flatMap {
            // Else the kernel takes megabytes for a client that reads nothing, and it is long before that is seen.
            channel.setOption(.socketOption(.so_sndbuf), value: 1 << 16)
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
