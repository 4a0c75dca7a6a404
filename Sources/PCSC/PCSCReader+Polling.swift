// SPDX-License-Identifier: Apache-2.0

public import ISO7816

extension PCSCReader {
    /// The way by which this reader could wake a phone, chosen by its name.
    public nonisolated var pollingRoute: PollingRoute { PollingRoute.route(forReaderNamed: name) }

    /// Sends the polling frames of this reader's route, on a direct connection.
    ///
    /// Nothing is sent to a reader without a route. No route was tried on hardware so far.
    /// - Returns: what the reader took; nil when there is no route by control commands.
    /// - Throws: `CardChannelError` when the reader or the service failed, or the driver forbids it.
    public func wakePhone(
        _ mode: PollingRoute.Mode, rounds: Int = 3
    ) async throws(CardChannelError) -> PollingRoute.Report? {
        let route = pollingRoute
        guard !route.steps.isEmpty, route.transport == .escape else { return nil }
        // The CCID driver on Linux takes escape commands as number 1 (IOCTL_SMARTCARD_VENDOR_IFD_EXCHANGE).
        let code = Self.controlCode(1)
        return try await controlled { session, name in
            try session.withControl(of: name) { control in
                try route.run(mode: mode, rounds: rounds) { bytes throws(PCSCError) in try control(code, bytes) }
            }
        }
    }
}
