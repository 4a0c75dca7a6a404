// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import EmulatedWallet
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import ProximityReader

@Suite("Reads with whole event sequences")
struct EventSequenceTests {
    @Test("A good read")
    func good() async throws {
        let bench = try Bench()
        let (result, events) = await bench.read()
        #expect(events == Sequence.good)
        #expect(try bench.messages(result) == ["M-1"])
        let entry = try #require(try result.get().entries.first)
        #expect(entry.id == Bench.club && entry.status == .success && entry.statusWord == 0x9000)
        #expect(try #require(entry.customerVASData).count == 59)
        let tap = try #require(bench.counter.lastTap)
        #expect(tap.walletName == "ApplePay" && tap.commandDurations.count == 2)
        #expect(tap.capabilities == [0, 0, 0, 0x1E])
        #expect(tap.statusWords == [Bench.club: 0x9000])
    }

    @Test("Several merchants: one entry each, in the request's order")
    func severalMerchants() async throws {
        let bench = try Bench()
        let (result, events) = await bench.read(
            Bench.request(Bench.cafe, "pass.com.example.none", Bench.club))
        #expect(events == Sequence.good)
        #expect(try bench.messages(result) == ["C-2", nil, "M-1"])
        #expect(try result.get().entries.map(\.status) == [.success, .vasDataNotFound, .success])
    }

    @Test("Nothing found is a result")
    func nothingFound() async throws {
        let bench = try Bench { $0.passes = [] }
        let (result, events) = await bench.read(Bench.request(Bench.club, Bench.cafe))
        #expect(events == Sequence.good)
        #expect(try result.get().entries.map(\.status) == [.vasDataNotFound, .vasDataNotFound])
        #expect(try result.get().entries.map(\.id) == [Bench.club, Bench.cafe])
    }

    @Test("The reader's default merchants serve a request without its own")
    func defaultMerchants() async throws {
        let bench = try Bench()
        let options = PaymentCardReader.Options(vasMerchants: [.init(id: Bench.cafe)])
        #expect(try bench.messages(await bench.read(VASRequest(), options: options).result) == ["C-2"])
        let own = await bench.read(Bench.request(Bench.club), options: options)
        #expect(try bench.messages(own.result) == ["M-1"])
    }

    @Test("A sign-up URL reaches a phone without the pass, alone or with the question")
    func url() async throws {
        let bench = try Bench { $0.passes = [] }
        let url = try #require(URL(string: "https://example.com/join"))
        let ask = VASRequest(vasMerchants: [.init(id: Bench.club, url: url)])
        #expect(try await bench.read(ask).result.get().entries.map(\.status) == [.vasDataNotFound])
        let only = VASRequest(vasMerchants: [.init(id: Bench.club, url: url, shouldSendURLOnly: true)])
        #expect(try await bench.read(only).result.get().entries.map(\.status) == [.success])
        #expect(bench.phone.receivedURLs == [url.absoluteString, url.absoluteString])
    }

    @Test("A locked phone that is unlocked for the second tap")
    func lockedThenUnlocked() async throws {
        let bench = try Bench {
            $0.locked = true
            $0.unlocksAtTap = 2
        }
        let (result, events) = await bench.read()
        #expect(events == Sequence.retry + Sequence.good)
        #expect(try bench.messages(result) == ["M-1"])
    }

    @Test("A phone that stays locked: the result says so")
    func staysLocked() async throws {
        let bench = try Bench { $0.locked = true }
        let (result, events) = await bench.read()
        #expect(events == Sequence.retry + Sequence.good)
        #expect(try result.get().entries.map(\.status) == [.vasDataNotActivated])
        #expect(bench.phone.tapCount == 2)
    }

    @Test("A locked phone on a reader that people tap is polled in silence for the window")
    func activationWindow() async throws {
        let bench = try Bench {
            $0.locked = true
        } reader: {
            EmulatedReader($0, tapping: .automatic)
        }
        let (result, events) = await bench.read()
        #expect(events == Sequence.retry + Sequence.good)
        #expect(try result.get().entries.map(\.status) == [.vasDataNotActivated])
        // One tap, then one every 100 ms while less than three seconds have passed.
        #expect(bench.phone.tapCount == 30)
        #expect(bench.time.slept == .seconds(3))
        let late = try Bench {
            $0.locked = true
            $0.unlocksAtTap = 11
        } reader: {
            EmulatedReader($0)
        }
        let unlocked = await late.read()
        #expect(unlocked.events == Sequence.retry + Sequence.good)
        #expect(try late.messages(unlocked.result) == ["M-1"])
        #expect(late.time.slept == .seconds(1))
    }

    @Test("A locked phone that goes away for good")
    func lockedAndGone() async throws {
        let bench = try Bench {
            $0.locked = true
        } reader: {
            LimitedReader(EmulatedReader($0), taps: 1)
        }
        let (result, events) = await bench.read()
        #expect(events == Sequence.notActivatedGone)
        #expect(try result.get().entries.map(\.status) == [.vasDataNotActivated])
    }

    @Test("One pass released, one locked: no second tap")
    func partlyLocked() async throws {
        let bench = try Bench {
            $0.alreadyRead = [Bench.club]
            $0.tapAuthenticates = false
        }
        let (result, events) = await bench.read(Bench.request(Bench.club, Bench.cafe))
        #expect(events == Sequence.good)
        #expect(try result.get().entries.map(\.status) == [.vasDataNotActivated, .success])
    }

    @Test("Torn at each command, then whole", arguments: 1...3)
    func torn(at command: Int) async throws {
        let bench = try Bench {
            $0.leavesFieldAt = command
            $0.leavesFieldTaps = 1
        }
        let (result, events) = await bench.read(Bench.request(Bench.club, Bench.cafe))
        #expect(events == Sequence.retry + Sequence.good)
        #expect(try bench.messages(result) == ["M-1", "C-2"])
    }

    @Test("A pass handed out before the tear is kept")
    func tornAfterPass() async throws {
        let bench = try Bench {
            $0.leavesFieldAt = 3
            $0.leavesFieldTaps = 1
            $0.tapAuthenticates = false
        }
        let (result, events) = await bench.read(Bench.request(Bench.club, Bench.cafe))
        #expect(events == Sequence.retry + Sequence.good)
        #expect(try bench.messages(result) == ["M-1", "C-2"])
        #expect(bench.counter.lastTap?.statusWords[Bench.club] == 0x6287)
    }

    @Test("Torn for ever: three more tries, then the error", arguments: 1...2)
    func tornForEver(at command: Int) async throws {
        let bench = try Bench { $0.leavesFieldAt = command }
        let (result, events) = await bench.read()
        #expect(caseName(result) == "cardReadFailed")
        let retries = Sequence.retry + Sequence.retry + Sequence.retry
        #expect(events == retries + Sequence.failedTap)
    }

    @Test("Torn for ever behind a pass: the pass is the result")
    func tornForEverAfterPass() async throws {
        let bench = try Bench { $0.leavesFieldAt = 3 }
        let (result, events) = await bench.read(Bench.request(Bench.club, Bench.cafe))
        #expect(try bench.messages(result) == ["M-1", nil])
        #expect(events.suffix(5) == Sequence.good[...])
    }

    @Test(
        "Cards that are no Apple wallet", arguments: [WalletKind.androidPay, .samsungWallet, .none, .nonsense])
    func noWallet(_ kind: WalletKind) async throws {
        let bench = try Bench { $0.wallet = kind }
        let (result, events) = await bench.read()
        #expect(caseName(result) == "vasReadFail")
        #expect(events == Sequence.failedTap)
        switch (kind, bench.counter.lastTap?.ending) {
        case (.none, .noWallet(0x6A82)), (.nonsense, .malformed): break
        case (.androidPay, .otherWallet("AndroidPay")), (.samsungWallet, .otherWallet("SamsungWallet")): break
        case (_, let ending): Issue.record("\(kind): \(String(describing: ending))")
        }
    }

    @Test("The deprecated handler gets the old names, the stream the new ones")
    func handler() async throws {
        let bench = try Bench()
        let token = try bench.token()
        let names = Names()
        let (_, events) = await bench.run { reader in
            try await reader.prepare(using: token).readVAS(Bench.request(Bench.club)) { names.list.append($0.name) }
        }
        #expect(names.list == ["readyForTap", "cardDetected", "removeCard", "completed"])
        #expect(events == Sequence.good)
    }

    private final class Names { var list: [String] = [] }

    @Test("The result may come before the sheet is gone, and the next read waits for that")
    func immediateResult() async throws {
        let bench = try Bench { _ in
        } set: {
            $0.delays[.userInterfaceDismissed] = .seconds(2)
        }
        var options = PaymentCardReader.Options()
        options.returnReadResultImmediately = true
        let token = try bench.token()
        let (_, events) = await bench.run(options: options) { reader in
            let session = try await reader.prepare(using: token)
            _ = try await session.readVAS(Bench.request(Bench.club))
            _ = try await session.readVAS(Bench.request(Bench.club))
        }
        #expect(events == Sequence.good + Sequence.good)
    }

    @Test("Delays come before their events")
    func delays() async throws {
        let bench = try Bench { _ in
        } set: {
            $0.delays[.preparation] = .seconds(1)
            $0.delays[.cardDetected] = .seconds(2)
            $0.delays[.userInterfaceDismissed] = .seconds(4)
        }
        #expect(await bench.read().events == Sequence.good)
        #expect(bench.time.slept == .seconds(7))
    }
}
