// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ISO7816
internal import Synchronization

/// The counter's reader as it is at present, with each read recorded by itself: the way to what Apple's API has no word
/// for. Account numbers and the like never get into a record.
final class ReaderSlot: Sendable {
    private let state = Mutex<TracedReader?>(nil)
    private let what: String

    /// - Parameter what: what its traces say they are about.
    init(what: String) { self.what = what }

    /// Takes a reader that was just opened.
    func install(_ base: any CardReader) -> any CardReader {
        let reader = TracedReader(base, what: what)
        state.withLock { $0 = reader }
        return reader
    }

    /// The reader; nil before the first was opened.
    var reader: TracedReader? { state.withLock { $0 } }

    /// A read begins.
    func begin() { reader?.begin() }

    /// The present read's exchanges, redacted; nil when there were none.
    var trace: APDUTrace? { reader?.trace }

    /// Waits until the phone is gone. What goes wrong is found by the next read.
    func waitForRemoval() async { _ = try? await reader?.waitForRemoval(timeout: nil) }

    /// Whether it is a trace with nothing left.
    var isUsedUp: Bool {
        get async {
            guard let trace = reader?.base as? TraceReader else { return false }
            return await trace.remaining == 0
        }
    }
}

/// See ``ReaderSlot``.
final class TracedReader: CardReader {
    let base: any CardReader
    private let what: String
    private let recording: Mutex<(reader: RecordingReader, recorder: TraceRecorder)>

    init(_ base: any CardReader, what: String) {
        (self.base, self.what) = (base, what)
        recording = Mutex(Self.record(base, what))
    }

    private static func record(
        _ base: any CardReader, _ what: String
    ) -> (reader: RecordingReader, recorder: TraceRecorder) {
        var header = TraceHeader()
        header.what = what
        header.source = "recorded by countertop serve from \(base.name)"
        let recorder = TraceRecorder(header: header)
        return (RecordingReader(base, recorder: recorder), recorder)
    }

    func begin() {
        let fresh = Self.record(base, what)
        recording.withLock { $0 = fresh }
    }

    var trace: APDUTrace? {
        let trace = recording.withLock { $0.recorder }.trace
        return trace.taps.isEmpty ? nil : trace
    }

    private var current: RecordingReader { recording.withLock { $0.reader } }

    var name: String { base.name }
    var polling: PollingSupport { get async { await base.polling } }

    func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        try await current.waitForCard(timeout: timeout)
    }

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        try await current.withCard(ending: ending, body)
    }

    func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        try await current.waitForRemoval(timeout: timeout)
    }
}
