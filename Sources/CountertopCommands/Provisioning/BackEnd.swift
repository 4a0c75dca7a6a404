// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Foundation
internal import InAppProvisioning
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// A back end over HTTP. One request at a time, no redirects, answers of at most 1 MiB within a limit.
struct BackEnd: Sendable {
    /// What became of a request.
    struct Exchange: Sendable {
        var outcome: ConformanceProbe.Outcome
        var seconds: Double
        /// Nothing came within the limit.
        var isLate = false
    }

    /// The most bytes of an answer's body.
    static let mostBytes = 1 << 20

    let issuer: IssuerURL
    let token: String?
    /// How long an answer may take, from the first byte sent to the last one received.
    let limit: Duration
    private let client: HTTPClient

    /// - Parameter authority: PEM certificates to trust instead of the system's.
    init(_ issuer: IssuerURL, token: String?, limit: Duration, authority: String?) throws {
        var security = TLSConfiguration.makeClientConfiguration()
        if let authority { security.trustRoots = .certificates(try Self.certificates(authority)) }
        var settings = HTTPClient.Configuration(tlsConfiguration: security, redirectConfiguration: .disallow)
        settings.connectionPool.retryConnectionEstablishment = false
        (self.issuer, self.token, self.limit) = (issuer, token, limit)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }

    private static func certificates(_ path: String) throws(ToolError) -> [NIOSSLCertificate] {
        let bytes = try InputFile.read(path, limit: InputFile.keyLimit)
        guard let list = try? NIOSSLCertificate.fromPEMBytes(bytes), !list.isEmpty else {
            throw ToolError(
                .data, "\(path): there is no certificate in PEM", hint: "--ca takes the authority's certificate")
        }
        return list
    }

    /// Ends all connections.
    func close() async { try? await client.shutdown() }

    /// Sends one request. Whatever goes wrong is part of what became of it.
    func send(_ request: ProfileRequest) async -> Exchange {
        let began = ContinuousClock.now
        let outcome = await withTaskGroup(of: ConformanceProbe.Outcome?.self) { group in
            group.addTask { await exchange(request) }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        let seconds = began.duration(to: .now) / .seconds(1)
        guard let outcome else {
            let text = Task.isCancelled ? "interrupted" : "no answer within \(limit / .seconds(1)) s"
            return Exchange(outcome: .noAnswer(text), seconds: seconds, isLate: !Task.isCancelled)
        }
        return Exchange(outcome: outcome, seconds: seconds)
    }

    private func exchange(_ request: ProfileRequest) async -> ConformanceProbe.Outcome {
        // Foundation would encode a URL with a bracket as a whole, and its escapes a second time.
        let target = request.target.replacing("[", with: "%5B").replacing("]", with: "%5D")
        var message = HTTPClientRequest(url: issuer.text + target)
        message.method = HTTPMethod(rawValue: request.method)
        for header in request.headers { message.headers.add(name: header.name, value: header.value) }
        message.headers.add(name: "accept", value: "application/json")
        message.headers.add(name: "user-agent", value: "countertop/\(Countertop.version)")
        if let token { message.headers.add(name: "authorization", value: "Bearer \(token)") }
        if !request.body.isEmpty { message.body = .bytes(request.body) }
        do {
            let margin = TimeAmount.seconds(5)
            let answer = try await client.execute(
                message, timeout: .nanoseconds(Int64(limit / .nanoseconds(1))) + margin)
            let body = try await answer.body.collect(upTo: Self.mostBytes)
            return .answered(
                ProfileResponse(status: Int(answer.status.code), headers: [], body: Array(body.readableBytesView)))
        } catch {
            return .noAnswer(BackEndFailure.text(error))
        }
    }
}
