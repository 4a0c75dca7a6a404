// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// What a session knows and shares with the engine: its reader, its token, whether it is still good.
package final class SessionLife: Sendable {
    private struct State {
        var token: ReaderToken
        /// What a read gets once the session is over.
        var end: PaymentCardReaderSession.ReadError?
        /// Passes of a read that failed after the phone had handed them out.
        var keptPasses: VASReadResult?
    }

    let id = UUID().uuidString
    let core: ReaderCore
    let tools: SessionTools
    private let state: Mutex<State>

    init(core: ReaderCore, token: ReaderToken, tools: SessionTools) {
        (self.core, self.tools) = (core, tools)
        state = Mutex(State(token: token))
    }

    var keptPasses: VASReadResult? {
        get { state.withLock { $0.keptPasses } }
        set { state.withLock { $0.keptPasses = newValue } }
    }

    var token: ReaderToken { state.withLock { $0.token } }

    /// Takes a newer token of the same merchant; false when the session is over or belongs to another.
    func renew(_ token: ReaderToken) -> Bool {
        state.withLock { state in
            guard state.end == nil, state.token.merchantID == token.merchantID else { return false }
            state.token = token
            return true
        }
    }

    var end: PaymentCardReaderSession.ReadError? { state.withLock { $0.end } }

    /// Ends the session; false when it was over before.
    func finish(_ error: PaymentCardReaderSession.ReadError) -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.end = error
            return true
        }
    }
}

/// A session that nobody keeps is no session any more.
struct WeakLife: Sendable {
    weak let life: SessionLife?
}

extension Counter {
    func remember(_ life: SessionLife) {
        state.withLock { state in
            state.lives.removeAll { $0.life == nil }
            state.lives.append(WeakLife(life: life))
        }
        endSessionsIfLost()
    }

    /// Acts on the conditions that end sessions: going to the background does, as Apple documents it, and losing one.
    func endSessionsIfLost() {
        let lost = has(.sessionLost)
        guard lost || has(.background) else { return }
        let lives = state.withLock { $0.lives.compactMap(\.life) }
        for life in lives where life.finish(.noReaderSession) {
            life.core.send(.notReady)
            let error: PaymentCardReaderSession.ReadError = lost ? .noReaderSession : .readFromBackgroundError
            Task { [engine] in await engine.abort(life, with: error) }
        }
    }
}
