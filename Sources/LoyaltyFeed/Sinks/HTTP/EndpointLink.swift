// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import Synchronization

/// The client for one address of an endpoint.
struct EndpointClient: Sendable {
    let http: HTTPClient
    let link: EndpointLink
}

/// A connection went elsewhere than to the address that was checked.
struct OtherAddress: Error {}

/// Whether there is a connection: who runs out of time without one has reached nobody.
final class EndpointLink: Sendable {
    /// What there is, and was.
    struct State: Hashable, Sendable {
        /// Connections that were made, in all.
        var made = 0
        fileprivate var open = 0
        /// Whether one is open.
        var isOpen: Bool { open > 0 }
    }

    private let counts = Mutex(State())

    /// How it stands.
    var state: State { counts.withLock { $0 } }

    /// A connection was made, with TLS where that is wanted.
    func opened(_ channel: any Channel) {
        counts.withLock { ($0.made, $0.open) = ($0.made + 1, $0.open + 1) }
        channel.closeFuture.whenComplete { _ in self.counts.withLock { $0.open -= 1 } }
    }
}
