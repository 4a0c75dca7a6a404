// SPDX-License-Identifier: Apache-2.0

extension PCSCReader {
    /// Time limits of a reader. The defaults suit a counter with people in front of it.
    public struct Options: Sendable {
        /// How long a card may take for one command before the reader counts as stuck.
        ///
        /// PC/SC cannot take back a transmit. A late one is reported as `timedOut`, its context and thread are
        /// abandoned (they clean up after themselves once the call returns), and the next use makes new ones.
        public var transmitTimeout: Duration = .seconds(10)
        /// The same for every other call; also how long another program may hold the card before we give up.
        public var callTimeout: Duration = .seconds(5)
        /// The longest single wait for a card. A cancellation that the library loses costs at most this.
        public var waitSlice: Duration = .seconds(1)
        /// How long a wait goes on trying to come back after pcscd died under it.
        public var reconnectGrace: Duration = .seconds(5)
        /// What a wait for a card asks phones for, by the reader's ``PollingRoute``; nil sends nothing. Off by default,
        /// because no route was ever tried on hardware: to be asked for by who has the reader at hand.
        public var wakesPhone: PollingRoute.Mode?
        /// How long a wait listens for a card between two runs of the route.
        public var wakeInterval: Duration = .milliseconds(500)

        /// The default limits.
        public init() {}

        var shortestCall: UInt64 { min(transmitTimeout.nanoseconds, callTimeout.nanoseconds) }
    }
}
