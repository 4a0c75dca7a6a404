// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import Foundation
import ISO7816
import LoyaltyFeed
import ProximityReader
import TestSupport
import Testing
import WalletCrypto

@testable import CounterServer

@Suite("The emulated phone, from outside", .timeLimit(.minutes(1)))
struct WalletControlTests {
    private func change(_ edit: (inout WalletChange) -> Void) -> WalletChange {
        var change = WalletChange()
        edit(&change)
        return change
    }

    @Test("What it is like")
    func view() throws {
        let bench = try CounterBench(phone: {
            $0.chosenPass = CounterBench.club
            $0.answerDelay = 3
            $0.passes[1].serialNumber = "42"
            $0.paymentCard = PaymentCard(.visa)
            $0.paymentCard?.armed = false
        })
        let view = try bench.service.wallet()
        #expect(view.passes.map(\.passTypeIdentifier) == [CounterBench.club, CounterBench.cafe])
        #expect(view.passes.last?.serialNumber == "42" && view.passes.allSatisfy(\.isReadable))
        #expect(view.chosen == CounterBench.club && view.answerDelayMilliseconds == 3 && !view.isLocked)
        #expect(view.paymentNetwork == "visa" && !view.isPaymentArmed && view.leavesFieldAt == nil)
    }

    @Test("Locked, unlocked, slow, leaving early, showing another pass: each counts from the next tap on")
    func controls() async throws {
        let bench = try CounterBench()
        try await bench.running {
            func tap(after edit: (inout WalletChange) -> Void) async throws -> String? {
                _ = try await bench.service.changeWallet(change(edit))
                return try await bench.service.tapOnce().failure?.code
            }
            #expect(try await tap { $0.isLocked = true } == "locked")
            #expect(try await tap { $0.isLocked = false } == nil)
            #expect(try await tap { $0.chosen = .to(CounterBench.cafe) } == "notPresent")
            #expect(try await tap { $0.chosen = .some(.none) } == nil)
            #expect(try await tap { $0.leavesFieldAt = .to(1) } == "torn")
            #expect(try await tap { $0.leavesFieldAt = .some(.none) } == nil)
            #expect(try await tap { $0.answerDelayMilliseconds = 20 } == nil)
            let slow = try #require(bench.journal.taps.last)
            #expect(slow.latencyMilliseconds >= 40)
        }
    }

    @Test("What it cannot be is refused, and nothing changes")
    func invalid() async throws {
        let bench = try CounterBench()
        for edit: (inout WalletChange) -> Void in [
            { $0.leavesFieldAt = .to(0) }, { $0.answerDelayMilliseconds = -1 },
            { $0.answerDelayMilliseconds = 2_001 }, { $0.chosen = .to("pass.com.example.none") },
        ] {
            var wish = change(edit)
            wish.isLocked = true
            await #expect(throws: ControlError.self) { try await bench.service.changeWallet(wish) }
        }
        #expect(try !bench.service.wallet().isLocked)
    }

    @Test("Its file is read again when asked")
    func reload() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("phone.json", #"{"locked": true}"#)
        let bench = try CounterBench(reader: .emulated(file: file))
        #expect(try bench.service.wallet().isLocked && bench.service.wallet().file == file)
        try folder.write("phone.json", #"{"locked": false, "answerDelay": 7}"#)
        let view = try await bench.service.changeWallet(change { $0.reloads = true })
        #expect(!view.isLocked && view.answerDelayMilliseconds == 7)
        try folder.write("phone.json", "nonsense")
        await #expect(throws: ControlError.self) {
            try await bench.service.changeWallet(change { $0.reloads = true })
        }
    }

    @Test("No phone, no control")
    func noWallet() async throws {
        let bench = try CounterBench(reader: .pcsc(name: "none"))
        #expect(throws: ControlError.self) { try bench.service.wallet() }
        await #expect(throws: ControlError.self) { try await bench.service.tapOnce() }
        #expect(throws: ControlError.self) { try CounterBench(reader: .emulated(file: "/nonexistent")) }
    }
}
