// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace

/// Where a recorded tap goes.
struct TraceFile {
    let path: String
    let overwriting: Bool

    /// Reads, and writes the trace however the read ends, as long as the card said something.
    func keeping(_ recorder: TraceRecorder, _ talk: Talk, _ read: () async throws -> Void) async throws {
        var failure: (any Error)?
        do { try await read() } catch { failure = error }
        if !recorder.trace.taps.isEmpty {
            do {
                try OutputFile.write(recorder.trace.text(), to: path, overwriting: overwriting)
                talk.say("the trace is in \(path)")
            } catch { failure = failure ?? talk.spoken(error) }
        }
        if let failure { throw failure }
    }

    /// What a recorded trace begins with.
    static func header(_ what: String, _ reader: String) -> TraceHeader {
        var header = TraceHeader()
        header.what = what.oneLine
        header.source = "recorded by countertop \(Countertop.version) from \(reader)".oneLine
        return header
    }
}

extension String {
    /// Fit for one header line.
    fileprivate var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
