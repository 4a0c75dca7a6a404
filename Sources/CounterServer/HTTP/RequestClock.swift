// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Closes a connection that takes too long: with nothing going on, from the first byte of a request to its last, and
/// from there to the end of the answer. An answer that has no end of its own, a stream of events, may go on until the
/// client ends its half, or takes nothing for too long. Stands before all else in the pipeline, so that header fields that come drop
/// by drop count too. Used on its event loop only.
final class RequestClock: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// What a connection is doing.
    enum Phase: String, Sendable {
        case idle, reading, answering, streaming
    }

    private let limits: ServerLimits
    private let onTimeout: @Sendable (Phase) -> Void
    private var phase = Phase.idle
    private var timer: Scheduled<Void>?
    private var channel: (any Channel)?
    private var requestsRead = 0
    private var answersWritten = 0
    /// Whether bytes came while an answer was made.
    private var hasMore = false
    /// Whether the connection ends with the answer under way.
    var endsAfterAnswer = false

    init(_ limits: ServerLimits, onTimeout: @escaping @Sendable (Phase) -> Void) {
        (self.limits, self.onTimeout) = (limits, onTimeout)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        enter(.idle)
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if phase == .idle { enter(.reading) } else if phase == .answering { hasMore = true }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if phase == .streaming { watchStream(context.channel) }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if phase == .streaming, event as? ChannelEvent == .inputClosed { context.channel.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Whether no answer is under way.
    var isBetweenAnswers: Bool { requestsRead == answersWritten }

    /// The answer under way has no end of its own.
    func streamBegan() {
        timer?.cancel()
        (timer, phase) = (nil, .streaming)
        if let channel { watchStream(channel) }
    }

    /// The time runs only while the client takes nothing.
    private func watchStream(_ channel: any Channel) {
        guard channel.isWritable else { return enter(.streaming) }
        timer?.cancel()
        timer = nil
    }

    /// The last byte of a request has come.
    func requestEnded() {
        requestsRead += 1
        hasMore = false
        settle()
    }

    /// The last byte of an answer has gone.
    func answerEnded() {
        answersWritten += 1
        settle()
    }

    private func settle() {
        if requestsRead > answersWritten { return phase == .streaming ? () : enter(.answering) }
        // An answer that came before its request's end: the time for the request goes on.
        guard requestsRead == answersWritten else { return }
        if endsAfterAnswer { channel?.close(promise: nil) } else { enter(hasMore ? .reading : .idle) }
    }

    private func enter(_ next: Phase) {
        guard let channel, next != phase || timer == nil else { return }
        timer?.cancel()
        phase = next
        timer = channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit(next))) { [weak self] in
            self?.onTimeout(next)
            channel.close(promise: nil)
        }
    }

    private func limit(_ phase: Phase) -> Duration {
        switch phase {
        case .idle: limits.idle
        case .reading: limits.request
        case .answering: limits.answer
        case .streaming: limits.stalled
        }
    }

    private func stop() {
        timer?.cancel()
        (timer, channel) = (nil, nil)
    }
}
