// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CounterServer

@Suite("What the counter shows", .timeLimit(.minutes(1)))
struct StateBoardTests {
    private func state(_ phase: CounterState.Phase) -> CounterState { CounterState(phase, phase.rawValue) }

    @Test("A stream begins with the present state and ends with the last")
    func stream() async {
        let board = StateBoard(linger: .zero)
        board.show(state(.ready))
        let states = board.states
        board.show(state(.hold))
        board.show(state(.hold))
        board.close(state(.stopped))
        var phases: [CounterState.Phase] = []
        for await state in states { phases.append(state.phase) }
        #expect(phases == [.ready, .hold, .stopped])
    }

    @Test("Done stays for a while; the next phone does not wait for it")
    func linger() async throws {
        let board = StateBoard(linger: .milliseconds(300))
        board.show(state(.done))
        board.show(state(.ready))
        #expect(board.state.phase == .done)
        try await eventually { board.state.phase == .ready }
        board.show(state(.retry))
        board.show(state(.ready))
        board.show(state(.hold))
        #expect(board.state.phase == .hold)
        try await Task.sleep(for: .milliseconds(400))
        #expect(board.state.phase == .hold, "the earlier ready is not shown later")
    }

    @Test("A slow reader misses older states, not the last")
    func slow() async {
        let board = StateBoard(linger: .zero)
        let states = board.states
        for _ in 0..<1_000 {
            board.show(state(.hold))
            board.show(state(.done))
        }
        board.close(state(.stopped))
        var phases: [CounterState.Phase] = []
        for await state in states { phases.append(state.phase) }
        #expect(phases.count <= 20 && phases.last == .stopped)
    }
}
