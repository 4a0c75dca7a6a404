// SPDX-License-Identifier: Apache-2.0

public import LoyaltyFeed
public import WalletCrypto

/// How the counter's HTTP service is reached, and by whom.
public struct CounterAPISettings: Sendable {
    /// Where it listens, its certificate, its limits, its logger. ``ServerSettings/audit`` and
    /// ``ServerSettings/allowsAnyone`` are not used.
    public var server = ServerSettings()
    /// Bearer tokens, any of which lets in; none asks nobody.
    public var tokens: [SecretBytes] = []
    /// Names of hosts that requests may be for, besides the loopback names and the address itself.
    public var allowedHosts: [String] = []
    /// The language that pages begin in: `en` or `de`.
    public var language = "en"
    /// Sends a test event to a sink; nil when there is no such sink or it cannot be tested.
    public var testSink: @Sendable (_ sink: String) async -> DeliveryReport? = { _ in nil }

    /// Loopback, port 8787, without a token.
    public init() { server.address = ListenAddress(host: "127.0.0.1", port: 8787) }

    /// Shorter tokens can be guessed.
    static let tokenLength = 16
}

/// The counter over HTTP: taps, events, deliveries, the emulated phone, decoder and pages.
///
/// Programs on the same machine are served without a token. On any other address it starts only with a token and TLS.
/// Requests for other hosts, changes asked by pages of another origin, and long, slow or broken requests are refused.
public struct CounterAPI: Sendable {
    private let service: HTTPService

    /// A service that is ready to run.
    /// - Throws: ``ServerError`` `exposed` when others could reach it and token or TLS are missing, or a token is short;
    ///   `invalidTLS`.
    public init(
        outbox: Outbox, control: any CounterControl, settings: CounterAPISettings = CounterAPISettings()
    ) throws(ServerError) {
        try Self.check(settings)
        let responder = APIResponder(CounterRoutes(outbox: outbox, control: control, settings: settings))
        service = try HTTPService(
            settings.server, onTimeout: { responder.timeout($0) }, onMalformed: { responder.refusal($0) },
            responder: { request, writer, channel in
                try await responder.respond(to: request, writer, on: channel)
            })
    }

    private static func check(_ settings: CounterAPISettings) throws(ServerError) {
        let address = settings.server.address
        guard settings.tokens.allSatisfy({ $0.count >= CounterAPISettings.tokenLength }) else {
            throw ServerError(
                .exposed, "A token has fewer than \(CounterAPISettings.tokenLength) characters",
                hint: "make one with `openssl rand -base64 24`")
        }
        guard !address.isLoopback else { return }
        guard !settings.tokens.isEmpty else {
            throw ServerError(
                .exposed, "Others can reach \(address), and no token is asked for",
                hint: "set token_file in [http], or listen at 127.0.0.1")
        }
        guard settings.server.identity != nil else {
            throw ServerError(
                .exposed, "Others can reach \(address), and the token would be sent in the clear",
                hint: "set tls_certificate and tls_key in [http], or listen at 127.0.0.1 behind a proxy")
        }
    }

    /// Listens until the task is cancelled. Requests that are there then are answered first, within
    /// ``ServerLimits/shutdown``; event streams end.
    /// - Parameter onListening: called once, with the port that was taken when 0 was asked for.
    /// - Throws: ``ServerError`` `unavailable`.
    public func run(
        onListening: @escaping @Sendable (ListenAddress) -> Void = { _ in }
    ) async throws(ServerError) {
        try await service.run(onListening: onListening)
    }
}
