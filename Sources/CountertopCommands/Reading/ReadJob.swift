// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import CounterServer
internal import ProximityReader

/// What a read brought, ready to be shown.
struct ReadView: Sendable {
    let json: JSON
    let text: [String]
    /// What ends a single read with a status of its own, after its result was shown.
    var complaint: ToolError?
}

/// What is read, once or tap after tap.
protocol ReadJob: Sendable {
    /// One read.
    ///
    /// - Throws: `ReadFailure` when it brought nothing.
    func read(_ run: CounterRun, _ talk: Talk) async throws -> ReadView

    /// The object of a read that brought nothing.
    func json(_ error: ToolError, _ failure: ReadFailure, events: [String]) -> JSON

    /// What a read that brought nothing has all the same, as lines: passes that were handed out before.
    func text(_ failure: ReadFailure, _ talk: Talk) -> [String]
}

extension ReadJob {
    func json(_ error: ToolError, _ failure: ReadFailure, events: [String]) -> JSON { error.json }
    func text(_ failure: ReadFailure, _ talk: Talk) -> [String] { [] }
}

/// Passes alone.
struct PassJob: ReadJob {
    let request: VASRequest
    let ring: VASKeyRing
    /// Kept over all taps, so that repeated pass data is found.
    let judge: VASFreshness?

    func read(_ run: CounterRun, _ talk: Talk) async throws -> ReadView {
        let view = ReadResultView(try await run.read(request), ring: ring, judge: judge)
        return ReadView(json: view.json, text: view.text(talk), complaint: view.staleness)
    }
}
