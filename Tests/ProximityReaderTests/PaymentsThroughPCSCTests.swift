// SPDX-License-Identifier: Apache-2.0

import CardTesting
import EmulatedWallet
import Foundation
import HostSystem
import ISO7816
import Testing

@testable import ProximityReader

/// The same taps through a real pcscd with its virtual reader.
@Suite(
    "Payments through pcscd", .serialized, .timeLimit(.minutes(2)),
    .enabled(if: PrivatePCSCD.unavailableReason == nil, "pcscd with vpcd is not installed"))
struct PaymentsThroughPCSCTests {
    private func read(
        _ phone: (inout PhoneDefinition) -> Void
    ) async throws -> (bench: PaymentBench, result: Result<PaymentBench.Both, any Error>, events: [String]) {
        let bench = try PaymentBench(phone, reader: nil) {
            $0.reader = .pcsc(name: nil)
            $0.time = HostTime(
                now: { VirtualTime.start }, uptime: HostTime.system.uptime, sleep: HostTime.system.sleep)
        }
        return try await PrivatePCSCD.exclusive { daemon in
            let card = VPCDCard(bench.bench.phone, at: VPCDAddress(port: daemon.port))
            try card.start()
            defer { card.stop() }
            try #require(try await card.waitUntilReady(timeout: .seconds(10)))
            let (result, events) = await bench.read(passes: [Bench.club])
            return (bench, result, events)
        }
    }

    @Test("A phone pays and shows its pass in one tap", arguments: NetworkCase.all.prefix(3))
    func both(_ row: NetworkCase) async throws {
        let (bench, result, events) = try await read { $0.paymentCard = PaymentCard(row.network) }
        try EmulatedPaymentTests.expectBoth(result, events, bench, kernel: row.kernel)
    }

    @Test("A plastic card")
    func plastic() async throws {
        let (_, result, events) = try await read { $0 = EmulatedPaymentTests.plasticPhone }
        #expect(try result.get().payment?.outcome == .success && result.get().passes == nil)
        #expect(events == Sequence.good)
    }

    @Test("A phone that leaves at a command, and comes back", arguments: 1...5)
    func leaves(_ command: Int) async throws {
        let (_, result, events) = try await read {
            $0.paymentCard = PaymentCard(.visa)
            $0.leavesFieldAt = command
            $0.leavesFieldTaps = 1
        }
        let both = try result.get()
        #expect(both.payment?.outcome == .success && both.passes?.entries.first?.status == .success)
        #expect(events == Sequence.retry + Sequence.good)
    }

    @Test("A locked phone that its owner unlocks while it lies on the reader: looked at in silence")
    func unlocked() async throws {
        let (_, result, events) = try await read {
            $0.paymentCard = PaymentCard(.visa)
            $0.locked = true
            $0.unlocksAtTap = 4
        }
        #expect(try result.get().payment?.outcome == .success)
        #expect(events == Sequence.retry + Sequence.good)
    }
}
