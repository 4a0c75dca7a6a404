// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import ServiceLifecycle

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// HTTP/1.1 with the limits of ``ServerSettings``; what is answered is the responder's.
struct HTTPService: Sendable {
    typealias Responder = HTTPChannelHandler.Responder

    let settings: ServerSettings
    let onTimeout: @Sendable (RequestClock.Phase) -> Void
    let onMalformed: @Sendable (MalformedRequest) -> MalformedRequest.Answer
    let responder: Responder
    private let tls: TLSConfiguration?

    init(
        _ settings: ServerSettings, onTimeout: @escaping @Sendable (RequestClock.Phase) -> Void,
        onMalformed: @escaping @Sendable (MalformedRequest) -> MalformedRequest.Answer = { .plain($0) },
        responder: @escaping Responder
    ) throws(ServerError) {
        (self.settings, self.onTimeout) = (settings, onTimeout)
        (self.onMalformed, self.responder) = (onMalformed, responder)
        guard let identity = settings.identity else {
            tls = nil
            return
        }
        tls = try Self.configuration(identity)
    }

    /// Listens until the task is cancelled; requests that are there then are answered first.
    func run(onListening: @escaping @Sendable (ListenAddress) -> Void) async throws(ServerError) {
        let service: any Service
        do { service = try makeService(onListening) } catch { throw failure(error) }
        var configuration = ServiceGroupConfiguration(services: [service], logger: settings.logger)
        configuration.maximumGracefulShutdownDuration = settings.limits.shutdown
        let group = ServiceGroup(configuration: configuration)
        // Not a child task: cancelling it would cut off requests that are being answered.
        let work = Task { try await group.run() }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
        }
        if case .failure(let error) = result, !Task.isCancelled { throw failure(error) }
    }

    private func makeService(_ onListening: @escaping @Sendable (ListenAddress) -> Void) throws -> any Service {
        let (limits, address) = (settings.limits, settings.address)
        let builder = HTTPServerBuilder { responder in
            let plain = HTTP1Channel(
                responder: responder,
                configuration: .init(
                    additionalChannelHandlers: [MessageObserver(onMalformed)],
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                        maxHeaderFieldCount: 100)))
            guard let tls else { return GuardedChannel(base: plain, limits: limits, onTimeout: onTimeout) }
            return GuardedChannel(
                base: try TLSChannel(plain, tlsConfiguration: tls), limits: limits, onTimeout: onTimeout)
        }
        return try builder.buildServer(
            configuration: ServerConfiguration(
                address: .hostname(address.host, port: address.port), serverName: nil, backlog: 1024,
                availableConnectionsDelegate: .maximum(limits.connections, logger: settings.logger)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: settings.logger, responder: responder
        ) { channel in
            onListening(ListenAddress(host: address.host, port: channel.localAddress?.port ?? address.port))
        }
    }

    private static func configuration(_ identity: ServerIdentity) throws(ServerError) -> TLSConfiguration {
        do {
            let certificates = try NIOSSLCertificate.fromPEMBytes(identity.certificates)
            let key = try NIOSSLPrivateKey(bytes: identity.key, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            // Made to find out now whether key and certificate belong together.
            _ = try NIOSSLContext(configuration: configuration)
            return configuration
        } catch {
            throw ServerError(
                .invalidTLS, "The TLS certificate and its key cannot be used: \(error)",
                hint: "both are PEM: the chain with the server's certificate first, and the key of that certificate")
        }
    }

    private func failure(_ error: any Error) -> ServerError {
        if let error = error as? ServerError { return error }
        return ServerError(
            .unavailable, "Nothing can listen at \(settings.address): \(Self.words(error))",
            hint: "choose another address or port; port 0 takes a free one")
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as SocketAddressError: "the name cannot be resolved (\(error))"
        default: "\(error)"
        }
    }
}
