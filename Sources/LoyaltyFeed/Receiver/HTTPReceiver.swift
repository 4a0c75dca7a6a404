// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A request as a receiver gets it.
public struct ReceivedRequest: Sendable {
    /// `POST`, ….
    public let method: String
    /// Path and query.
    public let target: String
    /// The header fields, in their order.
    public let headers: [(name: String, value: String)]
    /// The body's bytes.
    public let body: [UInt8]

    /// A request from its parts.
    public init(method: String, target: String, headers: [(name: String, value: String)], body: [UInt8]) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// The value of a header field, by its name in any case.
    public func field(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// How a receiver answers, well or badly.
public struct ReceiverAnswer: Sendable {
    /// What it does with the connection.
    public enum Manner: Sendable {
        /// The answer, and the connection stays.
        case whole
        /// No answer at all; the connection stays.
        case hang
        /// The connection is reset without an answer.
        case reset
        /// The head at once, then a byte of the body now and then, without an end.
        case drip(every: Duration)
        /// These bytes instead of HTTP, then the end of the connection.
        case raw([UInt8])
    }

    /// The HTTP status.
    public var status: Int
    /// Header fields beside `Content-Length`.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]
    /// What it does with the connection.
    public var manner: Manner

    /// An answer from its parts.
    public init(
        _ status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = [], manner: Manner = .whole
    ) {
        (self.status, self.headers, self.body, self.manner) = (status, headers, body, manner)
    }
}

/// A small HTTP server on which receivers are built: the one of `countertop sink receive`, and the stand-ins for
/// providers in tests. It can misbehave in every way that a sink must bear.
public final class HTTPReceiver: Sendable {
    /// What answers; requests of one connection come one after the other.
    public typealias Handler = @Sendable (ReceivedRequest) async -> ReceiverAnswer

    /// The port that it listens at.
    public let port: Int
    private let channel: any Channel

    /// Listens, and answers until it is closed.
    ///
    /// - Parameters:
    ///   - host: an address of this machine.
    ///   - port: 0 takes a free one.
    ///   - tls: the certificate chain and its key, PEM; without it plain HTTP.
    public init(
        host: String = "127.0.0.1", port: Int = 0, tls: (certificates: [UInt8], key: [UInt8])? = nil,
        handler: @escaping Handler
    ) async throws {
        let context = try tls.map { try Self.context($0.certificates, $0.key) }
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    try pipeline.addHandler(ReceiverHandler(handler))
                }
            }
        channel = try await bootstrap.bind(host: host, port: port).get()
        self.port = channel.localAddress?.port ?? port
    }

    deinit { channel.close(promise: nil) }

    /// Listens no more. Connections that are there go on until their end.
    public func close() async { try? await channel.close() }

    private static func context(_ certificates: [UInt8], _ key: [UInt8]) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(certificates).map(NIOSSLCertificateSource.certificate)
        let key = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem))
        return try NIOSSLContext(configuration: .makeServerConfiguration(certificateChain: chain, privateKey: key))
    }
}

/// Collects a request, asks for the answer, writes it as bytes.
private final class ReceiverHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// Far more than an event has.
    static let bodyLimit = 1 << 20

    private let handler: HTTPReceiver.Handler
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var work: Task<Void, Never>?

    init(_ handler: @escaping HTTPReceiver.Handler) { self.handler = handler }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let part):
            body += part.readableBytesView
            if body.count > Self.bodyLimit { context.close(promise: nil) }
        case .end:
            guard let head else { return }
            let request = ReceivedRequest(
                method: head.method.rawValue, target: head.uri, headers: head.headers.map { ($0.name, $0.value) },
                body: body)
            let (handler, channel) = (handler, context.channel)
            work = Task { await ReceiverWriter(channel: channel).write(await handler(request)) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        work?.cancel()
        context.fireChannelInactive()
    }

    /// What is no HTTP gets the answer that servers give it.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let answer = ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        context.close(promise: nil)
    }
}

/// Writes answers in their manners.
private struct ReceiverWriter {
    let channel: any Channel

    func write(_ answer: ReceiverAnswer) async {
        switch answer.manner {
        case .whole: await send(Self.head(answer, count: answer.body.count) + answer.body)
        case .hang: break
        case .reset:
            // No lingering: the close is a reset (RST).
            let options = channel as? any SocketOptionProvider
            try? await options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            try? await channel.close()
        case .drip(let pause):
            await send(Self.head(answer, count: 1 << 30))
            while channel.isActive, !Task.isCancelled {
                await send([UInt8(ascii: " ")])
                try? await Task.sleep(for: pause)
            }
        case .raw(let bytes):
            await send(bytes)
            try? await channel.close()
        }
    }

    private func send(_ bytes: [UInt8]) async {
        try? await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    private static func head(_ answer: ReceiverAnswer, count: Int) -> [UInt8] {
        let phrase = HTTPResponseStatus(statusCode: answer.status).reasonPhrase
        let fields = (answer.headers + [("content-length", "\(count)")]).map { "\($0.name): \($0.value)\r\n" }
        return Array("HTTP/1.1 \(answer.status) \(phrase)\r\n\(fields.joined())\r\n".utf8)
    }
}
