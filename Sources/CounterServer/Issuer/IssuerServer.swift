// SPDX-License-Identifier: Apache-2.0

public import InAppProvisioning

/// The reference issuer as a service over HTTP.
///
/// It answers every request with what ``ReferenceIssuer`` says, applies the faults that belong to the connection
/// (`delay`, `drop`), and bears slow, long, broken and hostile clients within ``ServerLimits``.
public struct IssuerServer: Sendable {
    private let service: HTTPService

    /// A service that is ready to run.
    /// - Throws: ``ServerError`` `exposed` when it would answer everybody on an address that others reach;
    ///   `invalidTLS`.
    public init(_ issuer: IssuerSettings, _ settings: ServerSettings = ServerSettings()) throws(ServerError) {
        guard settings.address.isLoopback || !issuer.tokens.isEmpty || settings.allowsAnyone else {
            throw ServerError(
                .exposed, "Others can reach \(settings.address), and this issuer asks nobody for a token",
                hint: "give it a token, listen at 127.0.0.1, or allow anyone")
        }
        var settings = settings
        if case .delay(let milliseconds) = issuer.fault { settings.limits.answer += .milliseconds(milliseconds) }
        let log = AuditLog(settings.audit)
        let responder = IssuerResponder(issuer: ReferenceIssuer(issuer), limits: settings.limits, log: log)
        service = try HTTPService(
            settings, onTimeout: { log.timeout($0) }, onMalformed: responder.refusal,
            responder: { request, writer, channel in
                try await responder.respond(to: request, writer, on: channel)
            })
    }

    /// Listens until the task is cancelled. Requests that are there then are answered first, within
    /// ``ServerLimits/shutdown``.
    /// - Parameter onListening: called once, with the port that was taken when 0 was asked for.
    /// - Throws: ``ServerError`` `unavailable`.
    public func run(
        onListening: @escaping @Sendable (ListenAddress) -> Void = { _ in }
    ) async throws(ServerError) {
        try await service.run(onListening: onListening)
    }
}
