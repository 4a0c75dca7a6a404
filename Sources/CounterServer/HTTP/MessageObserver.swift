// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Tells the ``RequestClock`` of a connection where requests and answers end, and answers what is no request.
final class MessageObserver: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let onMalformed: @Sendable (MalformedRequest) -> MalformedRequest.Answer
    private var clock: RequestClock?
    /// Whether the head of a request has come, and not its end.
    private var isInRequest = false

    init(_ onMalformed: @escaping @Sendable (MalformedRequest) -> MalformedRequest.Answer) {
        self.onMalformed = onMalformed
    }

    func handlerAdded(context: ChannelHandlerContext) {
        clock = try? context.pipeline.syncOperations.handler(type: RequestClock.self)
    }

    func handlerRemoved(context: ChannelHandlerContext) { clock = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isInRequest = true
            if Self.ends(head.headerFields) { clock?.endsAfterAnswer = true }
        case .body: break
        case .end:
            isInRequest = false
            clock?.requestEnded()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if Self.ends(head.headerFields) { clock?.endsAfterAnswer = true }
            if head.headerFields[.contentType] == MediaType.events.field { clock?.streamBegan() }
            context.write(data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.clock?.answerEnded() }
            context.write(data, promise: written)
        }
    }

    /// While an earlier request is being answered, no other answer can go in between; and who reads the body of a
    /// request has to learn that it broke off.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError, !isInRequest, clock?.isBetweenAnswers == true else {
            return context.fireErrorCaught(error)
        }
        let request = MalformedRequest(error)
        let answer = onMalformed(request)
        context.write(wrapOutboundOut(.head(request.head(answer))), promise: nil)
        context.write(wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: answer.body))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    private static func ends(_ fields: HTTPFields) -> Bool { fields[.connection]?.lowercased() == "close" }
}
