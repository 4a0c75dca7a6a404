// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// How a reader can be made to send Apple's polling frames (ECP), which make a phone present its pass by itself.
public struct PollingRoute: Sendable {
    /// A short name, such as `none`.
    public let id: String

    /// The route for a reader, by its name.
    public static func route(forReaderNamed name: String) -> PollingRoute { PollingRoute(id: "none") }

    /// The route in the terms of ``ISO7816/CardReader``.
    public var support: PollingSupport {
        .manual(advice: "open the pass in Wallet by hand, then hold the phone on the reader")
    }
}
