// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Synchronization
import Testing

@testable import EmulatedWallet

/// The reader in process, as session code uses it.
@Suite("Emulated reader", .timeLimit(.minutes(10)))
struct EmulatedReaderTests {
    private func read(
        _ reader: EmulatedReader, _ commands: [[UInt8]], ending: CardEnding = .unpower
    ) async throws -> [StatusWord] {
        try await reader.withCard(ending: ending) { channel in
            try commands.map { try ResponseAPDU(channel.transmit($0)).status }
        }
    }

    private func code(_ body: () async throws -> Void) async -> CardChannelError.Code? {
        await #expect(throws: CardChannelError.self) { try await body() }?.code
    }

    @Test("the phone taps by itself, each time anew")
    func automatic() async throws {
        let club = try Club()
        let reader = EmulatedReader(EmulatedPhone(PhoneDefinition([club])))
        #expect(reader.polling == .automatic(route: "emulated"))
        var counts: [Int] = []
        for _ in 0..<3 {
            let presence = try await reader.waitForCard(timeout: .seconds(1))
            #expect(presence.atr == EmulatedPhone.answerToReset)
            counts.append(presence.eventCount)
            #expect(try await read(reader, [selectVAS, club.getVASData]) == [0x9000, 0x9000])
            #expect(try await reader.waitForRemoval(timeout: .seconds(1)))
        }
        #expect(Set(counts).count == 3)
        #expect(reader.phone.tapCount == 3)
        #expect(try await read(reader, [selectVAS, club.getVASData]) == [0x9000, 0x9000], "without waiting first")
    }

    @Test("endings: left powered the selection stays, reset or unpowered it is lost")
    func endings() async throws {
        let club = try Club()
        let reader = EmulatedReader(EmulatedPhone(PhoneDefinition([club])), tapping: .manual)
        reader.tap()
        _ = try await read(reader, [selectVAS], ending: .leave)
        #expect(try await read(reader, [club.getVASData], ending: .leave) == [0x9000])
        let before = try await reader.waitForCard(timeout: nil)
        for ending in [CardEnding.reset, .unpower] {
            _ = try await read(reader, [selectVAS], ending: ending)
            #expect(try await read(reader, [club.getVASData], ending: .leave) == [0x6985])
        }
        #expect(try await reader.waitForCard(timeout: nil) == before, "it was in place all the time")
    }

    @Test("by hand: comes and goes when told, and waits end in time")
    func manual() async throws {
        let reader = EmulatedReader(EmulatedPhone(PhoneDefinition([])), tapping: .manual)
        #expect(await code { _ = try await reader.waitForCard(timeout: .milliseconds(20)) } == .noCard)
        #expect(await code { _ = try await read(reader, [selectVAS]) } == .noCard)
        async let presence = reader.waitForCard(timeout: .seconds(5))
        try await Task.sleep(for: .milliseconds(20))
        reader.tap()
        reader.tap()
        #expect(try await presence.eventCount == 1)
        #expect(try await reader.waitForRemoval(timeout: .milliseconds(20)) == false)
        async let removed = reader.waitForRemoval(timeout: .seconds(5))
        try await Task.sleep(for: .milliseconds(20))
        reader.takeAway()
        #expect(try await removed)
    }

    @Test("cut at each command: cardGone, and the next tap works")
    func cut() async throws {
        let club = try Club()
        for index in 1...3 {
            let definition = PhoneDefinition([club]) { ($0.leavesFieldAt, $0.leavesFieldTaps) = (index, 1) }
            let reader = EmulatedReader(EmulatedPhone(definition))
            let commands = [selectVAS, selectVAS, club.getVASData]
            _ = try await reader.waitForCard(timeout: nil)
            #expect(await code { _ = try await read(reader, commands) } == .cardGone)
            #expect(try await reader.waitForRemoval(timeout: .seconds(1)))
            #expect(try await read(reader, commands) == [0x9000, 0x9000, 0x9000])
        }
    }

    @Test("delays are spent, by the clock injected or in real time")
    func delays() async throws {
        let spent = Mutex<[Duration]>([])
        let definition = PhoneDefinition([]) { $0.answerDelay = 60_000 }
        let reader = EmulatedReader(EmulatedPhone(definition)) { pause in spent.withLock { $0.append(pause) } }
        #expect(try await read(reader, [selectVAS]) == [0x9000])
        #expect(spent.withLock { $0 } == [.seconds(60)])

        let real = EmulatedReader(EmulatedPhone(PhoneDefinition([]) { $0.answerDelay = 30 }))
        let time = try await ContinuousClock().measure { _ = try await read(real, [selectVAS]) }
        #expect(time >= .milliseconds(30))
    }

    @Test("a silent phone: deadline, cancellation, taken away")
    func silence() async throws {
        let phone = EmulatedPhone(PhoneDefinition([]) { $0.silentAt = 1 })
        let impatient = EmulatedReader(phone, answerDeadline: .milliseconds(20))
        #expect(await code { _ = try await read(impatient, [selectVAS]) } == .timedOut)

        let patient = EmulatedReader(phone)
        let task = Task { await code { _ = try await read(patient, [selectVAS]) } }
        try await Task.sleep(for: .milliseconds(30))
        task.cancel()
        #expect(await task.value == .cancelled)

        // Taken away once the command has reached the phone, however slow this machine is.
        let taps = phone.tapCount
        let taken = Task { await code { _ = try await read(patient, [selectVAS]) } }
        while phone.tapCount == taps { try await Task.sleep(for: .milliseconds(1)) }
        patient.takeAway()
        #expect(await taken.value == .cardGone)
    }

    @Test("cancelled waits and accesses end at once")
    func cancellation() async throws {
        let reader = EmulatedReader(EmulatedPhone(PhoneDefinition([]) { $0.answerDelay = 60_000 }), tapping: .manual)
        let wait = Task { await code { _ = try await reader.waitForCard(timeout: nil) } }
        wait.cancel()
        #expect(await wait.value == .cancelled)
        reader.tap()
        let removal = Task { await code { _ = try await reader.waitForRemoval(timeout: nil) } }
        removal.cancel()
        #expect(await removal.value == .cancelled)
        let access = Task { await code { _ = try await read(reader, [selectVAS]) } }
        try await Task.sleep(for: .milliseconds(20))
        access.cancel()
        #expect(await access.value == .cancelled)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await code { _ = try await read(reader, [selectVAS]) }
        }
        #expect(await late.value == .cancelled)
    }

    /// How many are inside at once.
    private final class Depth: Sendable {
        private let count = Mutex(0)
        func enter() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
        func leave() { count.withLock { $0 -= 1 } }
    }

    @Test("the channel ends with its scope; errors of the body pass through; accesses take turns")
    func scope() async throws {
        let reader = EmulatedReader(EmulatedPhone(PhoneDefinition([])))
        final class Escaped: @unchecked Sendable { var channel: (any CardChannel)? }
        let escaped = Escaped()
        struct Own: Error {}
        await #expect(throws: Own.self) { try await reader.withCard(ending: .leave) { _ in throw Own() } }
        try await reader.withCard(ending: .leave) { escaped.channel = $0 }
        let channel = try #require(escaped.channel)
        #expect(throws: CardChannelError.self) { try channel.transmit(selectVAS) }
        let depth = Depth()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await reader.withCard(ending: .leave) { _ in
                        #expect(depth.enter() == 1)
                        depth.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
