// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Tells the ``RequestClock`` of a connection where requests and answers end.
final class MessageObserver: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var clock: RequestClock?

    func handlerAdded(context: ChannelHandlerContext) {
        clock = try? context.pipeline.syncOperations.handler(type: RequestClock.self)
    }

    func handlerRemoved(context: ChannelHandlerContext) { clock = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): if Self.ends(head.headerFields) { clock?.endsAfterAnswer = true }
        case .body: break
        case .end: clock?.requestEnded()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if Self.ends(head.headerFields) { clock?.endsAfterAnswer = true }
            context.write(data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.clock?.answerEnded() }
            context.write(data, promise: written)
        }
    }

    private static func ends(_ fields: HTTPFields) -> Bool { fields[.connection]?.lowercased() == "close" }
}
