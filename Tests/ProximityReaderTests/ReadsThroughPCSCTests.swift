// SPDX-License-Identifier: Apache-2.0

import CardTesting
import EmulatedWallet
import Foundation
import HostSystem
import ISO7816
import Synchronization
import Testing

@testable import ProximityReader

/// The same reads through a real pcscd with its virtual reader.
@Suite(
    "Through pcscd", .serialized, .timeLimit(.minutes(2)),
    .enabled(if: PrivatePCSCD.unavailableReason == nil, "pcscd with vpcd is not installed"))
struct ReadsThroughPCSCTests {
    private func bench(_ phone: (inout PhoneDefinition) -> Void = { _ in }) throws -> Bench {
        try Bench(phone, reader: nil) {
            $0.reader = .pcsc(name: nil)
            $0.time = HostTime(
                now: { VirtualTime.start }, uptime: HostTime.system.uptime, sleep: HostTime.system.sleep)
        }
    }

    private func read(_ bench: Bench) async throws -> (result: Result<VASReadResult, any Error>, events: [String]) {
        try await PrivatePCSCD.exclusive { daemon in
            let card = VPCDCard(bench.phone, at: VPCDAddress(port: daemon.port))
            try card.start()
            defer { card.stop() }
            try #require(try await card.waitUntilReady(timeout: .seconds(10)))
            return await bench.read(Bench.request(Bench.club, Bench.cafe))
        }
    }

    @Test("A good read")
    func good() async throws {
        let bench = try bench()
        let (result, events) = try await read(bench)
        #expect(events == Sequence.good)
        #expect(try bench.messages(result) == ["M-1", "C-2"])
    }

    @Test("A locked phone that its owner unlocks while it lies on the reader")
    func unlocked() async throws {
        let bench = try bench {
            $0.locked = true
            $0.unlocksAtTap = 4
        }
        let (result, events) = try await read(bench)
        #expect(events == Sequence.retry + Sequence.good)
        #expect(try bench.messages(result) == ["M-1", "C-2"])
    }

    @Test("A torn tap, then a whole one", arguments: 1...3)
    func torn(at command: Int) async throws {
        let bench = try bench {
            $0.leavesFieldAt = command
            $0.leavesFieldTaps = 1
        }
        let (result, events) = try await read(bench)
        #expect(events == Sequence.retry + Sequence.good)
        #expect(try bench.messages(result) == ["M-1", "C-2"])
    }

    @Test("A daemon that dies under a waiting read: a typed error, and the next read works")
    func killed() async throws {
        let bench = try bench()
        try await PrivatePCSCD.exclusive { daemon in
            let token = try bench.token()
            let (result, events) = await bench.run { reader in
                let session = try await reader.prepare(using: token)
                let read = Task { try await session.readVAS(Bench.request(Bench.club)) }
                try await Task.sleep(for: .milliseconds(300))
                daemon.kill()
                #expect(caseName(await read.result) == "readerServiceConnectionError")
                try daemon.start()
                let card = VPCDCard(bench.phone, at: VPCDAddress(port: daemon.port))
                try card.start()
                defer { card.stop() }
                try #require(try await card.waitUntilReady(timeout: .seconds(10)))
                return try await session.readVAS(Bench.request(Bench.club))
            }
            #expect(try bench.messages(result) == ["M-1"])
            #expect(events == ["readyForTap", "readNotCompleted", "userInterfaceDismissed"] + Sequence.good)
        }
    }

    @Test("A daemon that is killed at each command: a typed error, and the next read works", arguments: 1...3)
    func killedAtCommand(_ number: Int) async throws {
        try await PrivatePCSCD.exclusive { daemon in
            // One for the whole test: the reader is opened anew after the service was lost.
            let countdown = Countdown(number)
            let bench = try Bench(reader: nil) {
                $0.reader = .pcsc(name: nil)
                $0.time = HostTime(
                    now: { VirtualTime.start }, uptime: HostTime.system.uptime, sleep: HostTime.system.sleep)
                $0.policy.tapTimeout = .seconds(20)
                $0.wrapReader = { KillingReader(base: $0, countdown: countdown, kill: { daemon.kill() }) }
            }
            let card = VPCDCard(bench.phone, at: VPCDAddress(port: daemon.port))
            try card.start()
            defer { card.stop() }
            try #require(try await card.waitUntilReady(timeout: .seconds(10)))
            let token = try bench.token()
            let (result, events) = await bench.run { reader in
                let request = Bench.request(Bench.club, Bench.cafe)
                let first = await Task { try await reader.prepare(using: token).readVAS(request) }.result
                #expect(["readerServiceConnectionError", "readerServiceError"].contains(caseName(first)))
                try daemon.start()
                try #require(try await card.waitUntilReady(timeout: .seconds(10)))
                return try await reader.prepare(using: token).readVAS(request)
            }
            #expect(try bench.messages(result) == ["M-1", "C-2"])
            let failed = ["readyForTap", "cardDetected", "readNotCompleted", "userInterfaceDismissed"]
            #expect(events == failed + Sequence.good)
        }
    }

    @Test("No daemon: preparing says that the service is missing")
    func noService() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            daemon.kill()
            let bench = try bench()
            #expect(caseName(await bench.read().result) == "serviceConnectionError")
        }
    }
}

/// Counts commands down, once over all accesses.
private final class Countdown: Sendable {
    private let left: Mutex<Int>
    init(_ count: Int) { left = Mutex(count) }

    /// Whether this is the command meant.
    func isNow() -> Bool {
        left.withLock { left in
            left -= 1
            return left == 0
        }
    }
}

/// Does something terrible just before one of the commands is sent.
private struct KillingReader: CardReaderDecorator {
    let base: any CardReader
    let countdown: Countdown
    let kill: @Sendable () -> Void

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        let (countdown, kill) = (countdown, kill)
        return try await base.withCard(ending: ending) { channel in
            try body(KillingChannel(base: channel, countdown: countdown, kill: kill))
        }
    }
}

private struct KillingChannel: CardChannel {
    let base: any CardChannel
    let countdown: Countdown
    let kill: @Sendable () -> Void

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        if countdown.isNow() { kill() }
        return try base.transmit(command)
    }
}
