// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// Where the audit log goes. A service whose audit log cannot be written must not go on. Usable from any thread.
final class AuditSink: Sendable {
    private struct State {
        var failure: ToolError?
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let output: @Sendable (String) throws -> Void
    private let descriptor: Int32?

    /// - Parameter path: a file, made for its owner alone and added to; `-` is standard output.
    init(_ path: String, _ talk: Talk) throws(ToolError) {
        guard path != "-" else {
            descriptor = nil
            output = { try talk.result($0) }
            return
        }
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard !path.isEmpty, file >= 0 else {
            throw ToolError(.inputOutput, "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        descriptor = file
        output = { line in
            do { try StandardStream.write(Array((line + "\n").utf8), to: file) } catch {
                throw ToolError(.inputOutput, "the audit log \(path) cannot be written")
            }
        }
    }

    deinit { if let descriptor { close(descriptor) } }

    /// What went wrong, if anything did.
    var failure: ToolError? { state.withLock { $0.failure } }

    /// What to do when a line cannot be written.
    func onFailure(_ stop: @escaping @Sendable () -> Void) {
        let hasFailed = state.withLock { state in
            state.stop = stop
            return state.failure != nil
        }
        if hasFailed { stop() }
    }

    func write(_ line: String) {
        let stop = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.failure == nil else { return nil }
            do {
                try output(line)
                return nil
            } catch {
                state.failure = ToolError(error)
                return state.stop
            }
        }
        stop?()
    }
}
