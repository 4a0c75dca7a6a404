// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A request to an endpoint.
struct EndpointRequest: Sendable {
    var method: String
    var url: SinkURL
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    /// Whether the answer's body is looked at; else it is read only so far as the connection can be used again.
    var wantsBody = false
}

/// The answer to a request.
struct EndpointAnswer: Sendable {
    let status: Int
    let retryAfter: Duration?
    /// At most 64 kB; nil when it is longer, did not end in time, or was not wanted.
    let body: [UInt8]?
}

/// One receiver: resolves its name, connects to an address that was checked, keeps the connection, sends one request
/// at a time. Redirects, proxies and compression are not for it.
final class HTTPEndpoint: Sendable {
    /// What is read of an answer's body.
    static let bodyLimit = 64 * 1024
    /// How long an unwanted body may take before the connection is dropped instead.
    static let drainTime = Duration.milliseconds(500)
    /// How long addresses are used before the name is looked up again.
    static let resolveEvery = Duration.seconds(30)

    private struct State {
        var clients: [ResolvedAddress: EndpointClient] = [:]
        var addresses: [ResolvedAddress] = []
        var resolved: ContinuousClock.Instant?
        /// The address that answered last.
        var preferred: ResolvedAddress?
        var isClosed = false
    }

    let origin: SinkURL
    let timeout: Duration
    private let permission: AddressGuard.Permission
    private let tls: TLSConfiguration
    private let resolve: @Sendable (String) async throws(Resolver.Failure) -> [ResolvedAddress]
    private let state = Mutex(State())

    init(
        origin: SinkURL, options: HTTPOptions,
        resolve: @escaping @Sendable (String) async throws(Resolver.Failure) -> [ResolvedAddress] = Resolver.addresses
    ) {
        (self.origin, self.timeout, self.tls, self.resolve) = (origin, options.timeout, options.tls, resolve)
        permission = options.allowPrivate ? .anyNetwork : origin.isLoopback ? .loopbackOnly : .publicOnly
    }

    deinit { state.withLock { Self.end(Array($0.clients.values)) } }

    /// What the connecting may take: so little that the name's other addresses still have their turn.
    private var connectLimit: Duration { min(timeout / 4, .seconds(10)) }

    /// Sends a request and waits for its answer; cancelling the task ends it early.
    func send(_ request: EndpointRequest) async -> Result<EndpointAnswer, EndpointFailure> {
        let deadline = ContinuousClock.now + timeout
        do throws(EndpointFailure) {
            var last = EndpointFailure.unreachable("\(origin.shown) has no address")
            for address in try await allowed(until: deadline).prefix(3) {
                do throws(EndpointFailure) {
                    return .success(try await persistently(request, at: address, until: deadline))
                } catch {
                    last = error
                    if !error.mayTryNext || ContinuousClock.now >= deadline { break }
                }
            }
            state.withLock { $0.resolved = nil }
            throw last
        } catch {
            return .failure(error)
        }
    }

    /// Ends all connections.
    func close() async {
        let clients = state.withLock { state in
            defer { (state.clients, state.isClosed) = ([:], true) }
            return Array(state.clients.values)
        }
        for client in clients { try? await client.http.shutdown() }
    }

    // MARK: Addresses

    private func allowed(until deadline: ContinuousClock.Instant) async throws(EndpointFailure) -> [ResolvedAddress] {
        let addresses = try await current(until: deadline)
        let allowed = addresses.filter { AddressGuard.refusal($0.bytes, permission) == nil }
        guard allowed.isEmpty, let first = addresses.first else { return allowed }
        let kind = AddressGuard.refusal(first.bytes, permission) ?? ""
        throw .unreachable(
            "\(origin.shown) has a \(kind) address, which is not connected to without allow_private = true")
    }

    private func current(until deadline: ContinuousClock.Instant) async throws(EndpointFailure) -> [ResolvedAddress] {
        let now = ContinuousClock.now
        let known = state.withLock { state -> [ResolvedAddress]? in
            guard let resolved = state.resolved, now - resolved < Self.resolveEvery else { return nil }
            return state.addresses
        }
        if let known { return known }
        let found = try await look(until: deadline)
        let stale = state.withLock { state -> [EndpointClient] in
            let preferred = found.filter { $0 == state.preferred }
            state.addresses = preferred + found.filter { $0 != state.preferred }
            state.resolved = now
            let old = state.clients.filter { !found.contains($0.key) }
            for address in old.keys { state.clients[address] = nil }
            return Array(old.values)
        }
        Self.end(stale)
        return state.withLock { $0.addresses }
    }

    private func look(until deadline: ContinuousClock.Instant) async throws(EndpointFailure) -> [ResolvedAddress] {
        if let literal = Resolver.literal(origin.host) { return [literal] }
        let (resolve, host) = (resolve, origin.host)
        let result = await within(deadline) {
            do throws(Resolver.Failure) {
                return Result<[ResolvedAddress], Resolver.Failure>.success(try await resolve(host))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let found)?: return found
        case .failure(let failure)?:
            throw .unreachable("the name \(origin.host) cannot be resolved: \(failure.reason)")
        case nil: throw .unreachable("the name \(origin.host) was not resolved in time")
        }
    }

    // MARK: Connections

    /// A connection that was kept open may have been given up by the other side at this very moment: then, once, on a
    /// new one. The event's id tells a receiver that it is the same.
    private func persistently(
        _ request: EndpointRequest, at address: ResolvedAddress, until deadline: ContinuousClock.Instant
    ) async throws(EndpointFailure) -> EndpointAnswer {
        let wasUsed = state.withLock { state in
            defer { state.preferred = nil }
            return state.preferred == address
        }
        let answer: EndpointAnswer
        do throws(EndpointFailure) {
            answer = try await self.answer(request, at: address, until: deadline)
        } catch {
            guard wasUsed, error.isBrokenOff else { throw error }
            answer = try await self.answer(request, at: address, until: deadline)
        }
        state.withLock { $0.preferred = address }
        return answer
    }

    private func answer(
        _ request: EndpointRequest, at address: ResolvedAddress, until deadline: ContinuousClock.Instant
    ) async throws(EndpointFailure) -> EndpointAnswer {
        guard let client = client(for: address) else { throw .unreachable("the sink is closed") }
        var prepared = HTTPClientRequest(url: request.url.text)
        prepared.method = HTTPMethod(rawValue: request.method)
        for field in request.headers { prepared.headers.add(name: field.name, value: field.value) }
        if !request.body.isEmpty { prepared.body = .bytes(request.body) }
        let before = client.link.state
        do {
            let left = max(.zero, deadline - ContinuousClock.now)
            let response = try await client.http.execute(prepared, deadline: .now() + TimeAmount(left))
            let wait = response.headers.first(name: "retry-after").flatMap { RetryAfter.parse($0, now: Date()) }
            let end = request.wantsBody ? deadline : min(deadline, ContinuousClock.now + Self.drainTime)
            let body = await within(end) { await Self.collect(response.body) } ?? nil
            return EndpointAnswer(status: Int(response.status.code), retryAfter: wait, body: body)
        } catch {
            throw EndpointFailure(
                error, host: origin.shown, timeout: timeout,
                wasConnected: before.isOpen || client.link.state.made > before.made)
        }
    }

    private static func collect(_ body: HTTPClientResponse.Body) async -> [UInt8]? {
        var bytes: [UInt8] = []
        do {
            for try await part in body {
                guard bytes.count + part.readableBytes <= bodyLimit else { return nil }
                bytes += part.readableBytesView
            }
            return bytes
        } catch {
            return nil
        }
    }

    private func client(for address: ResolvedAddress) -> EndpointClient? {
        state.withLock { state in
            if state.isClosed { return nil }
            if let client = state.clients[address] { return client }
            let link = EndpointLink()
            let http = HTTPClient(
                eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
                configuration: configuration(address, link))
            state.clients[address] = EndpointClient(http: http, link: link)
            return state.clients[address]
        }
    }

    private func configuration(_ address: ResolvedAddress, _ link: EndpointLink) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, proxy: nil, decompression: .disabled)
        configuration.timeout.connect = TimeAmount(connectLimit)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.httpVersion = .http1Only
        // The connection goes to the address that was checked, whatever the name means by then; the certificate is
        // still checked for the name.
        configuration.dnsOverride = [origin.host: address.text]
        configuration.dnsOverride[origin.clientHost] = address.text
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                // Should the client ever look the name up itself, nothing is sent to what it found.
                if let actual = channel.remoteAddress?.ipAddress, actual != address.text {
                    channel.close(promise: nil)
                    throw OtherAddress()
                }
                link.opened(channel)
                try channel.pipeline.syncOperations.addHandler(InputLimit(), position: .first)
            }
        }
        return configuration
    }

    private static func end(_ clients: [EndpointClient]) {
        for client in clients { client.http.shutdown { _ in } }
    }
}
