// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A receiver sent far more than an answer.
struct InputLimitExceeded: Error {}

/// Closes a connection that sends more than some bytes after a request: endless headers or bodies cost us nothing.
final class InputLimit: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Twice what is read of a body, and more header fields than anybody needs.
    static let limit = 256 * 1024

    private var received = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        received = 0
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        guard received <= Self.limit else {
            context.fireErrorCaught(InputLimitExceeded())
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
