// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Data

/// What a loyalty read brought: one entry for each merchant asked for, in the request's order.
@available(iOS 15.4, macCatalyst 17.0, *)
public struct VASReadResult: Identifiable, Sendable {
    /// A result of one's own making.
    @available(*, deprecated, message: "Not meant to be created.")
    public init(id: String, entries: [ReadEntry]) {
        (self.id, self.entries) = (id, entries)
    }

    /// What the reader makes.
    package init(read id: String, entries: [ReadEntry]) {
        (self.id, self.entries) = (id, entries)
    }

    /// The read operation's identifier, new for each read.
    public let id: String

    /// One entry for each merchant of the request, in its order.
    public let entries: [ReadEntry]

    /// What the phone answered for one merchant.
    public struct ReadEntry: Identifiable, Sendable {
        /// The merchant's identifier, as the request had it.
        public let id: String

        /// The pass's payload, still encrypted: the value of tag 9F27, 56 bytes or more. nil when there is none.
        ///
        /// Send it to the loyalty provider, or open it with `decrypted(with:)`, which is countertop's own.
        public let customerVASData: Data?

        /// What came of it.
        public let status: Status

        /// The status word that the phone sent, where ``status`` can only say what is nearest to it. countertop's own.
        public let statusWord: UInt16

        /// What the reader makes; apps cannot.
        package init(id: String, customerVASData: Data?, status: Status, statusWord: UInt16? = nil) {
            self.id = id
            self.customerVASData = customerVASData
            self.status = status
            self.statusWord = statusWord ?? UInt16(truncatingIfNeeded: status.rawValue)
        }

        /// The outcome for one merchant; the raw value is the status word of ISO 7816 (Apple documentation).
        public enum Status: Int, Sendable {
            /// The pass was read, or the URL was taken.
            case success = 0x9000
            /// There is no such pass, or another one is on the screen.
            case vasDataNotFound = 0x6A83
            /// The pass is there but not released: the phone is locked, or handed it out before.
            case vasDataNotActivated = 0x6287
            /// The phone refused the command's parameters.
            case wrongP1P2 = 0x6B00
            /// The phone refused the command's length, or that of one of its tags.
            case wrongCommandLength = 0x6700
            /// The customer has to choose a pass.
            case userInterventionRequired = 0x6984
            /// The phone refused the command's data.
            case incorrectData = 0x6A80
            /// The phone does not know the protocol version.
            case unsupportedApplicationVersion = 0x6340
        }
    }
}
