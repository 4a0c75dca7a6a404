// SPDX-License-Identifier: Apache-2.0

public import ISO7816
internal import Synchronization

/// Any reader, with every tap recorded.
///
/// The field counts as off when the base says that the card left, that another came, or was told to cut the power.
public final class RecordingReader: CardReaderDecorator {
    /// The reader whose taps are recorded.
    public let base: any CardReader
    private let recorder: TraceRecorder
    private let lastEvent = Mutex<Int?>(nil)

    /// Records what goes over `base` into `recorder`.
    public init(_ base: any CardReader, recorder: TraceRecorder) { (self.base, self.recorder) = (base, recorder) }

    /// Waits as the base does.
    public func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        let presence = try await base.waitForCard(timeout: timeout)
        let isAnother = lastEvent.withLock { last in
            defer { last = presence.eventCount }
            return last != nil && last != presence.eventCount
        }
        if isAnother { recorder.fieldOff() }
        recorder.cardCame(atr: presence.atr)
        return presence
    }

    /// Runs `body` on a channel that records.
    public func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        let recorder = recorder
        defer { if ending == .unpower { recorder.fieldOff() } }
        return try await base.withCard(ending: ending) { channel in try body(recorder.recording(channel)) }
    }

    /// Waits as the base does.
    public func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        let isRemoved = try await base.waitForRemoval(timeout: timeout)
        if isRemoved { recorder.fieldOff() }
        return isRemoved
    }
}
