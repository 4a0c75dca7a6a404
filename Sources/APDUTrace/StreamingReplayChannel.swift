// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// A card that answers from a trace of any length, in constant memory.
///
/// Skipping only goes forward; field marks are passed over. Belongs to one thread, as every channel does.
public final class StreamingReplayChannel: CardChannel {
    private var stream: TraceStream
    private let matching: ReplayMatching
    private var kept: TraceExchange?
    private var line = 0

    /// Replays what is left of a stream.
    public init(_ stream: TraceStream, matching: ReplayMatching = .exact) {
        (self.stream, self.matching) = (stream, matching)
    }

    /// The recorded answer to a command; an unreadable trace is an error with code `other`.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        while let exchange = try next(command) {
            line = exchange.line
            if matching.matches(recorded: exchange.command, sent: command) { return exchange.response }
            guard matching.skipping else {
                kept = exchange
                throw ReplayMismatch.error(recorded: exchange.command, line: exchange.line, sent: command)
            }
        }
        throw ReplayMismatch.tapOver(after: line)
    }

    private func next(_ command: [UInt8]) throws(CardChannelError) -> TraceExchange? {
        if let exchange = kept {
            kept = nil
            return exchange
        }
        do {
            while let event = try stream.next() {
                if case .exchange(let exchange) = event { return exchange }
                if case .lost(let lost) = event, matching.matches(recorded: lost.command, sent: command) {
                    throw ReplayMismatch.lost(line: lost.line)
                }
            }
            return nil
        } catch let error as TraceError {
            throw ReplayMismatch.unreadable(error)
        } catch let error as CardChannelError {
            throw error
        } catch {
            throw CardChannelError(.other, reason: "the trace cannot be read")
        }
    }
}
