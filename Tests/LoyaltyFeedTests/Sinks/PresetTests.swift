// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import TestSupport
import Testing
import WalletCrypto

/// Each preset against a stand-in of its provider that asks for what the provider's documentation asks for.
@Suite struct PresetTests {
    private func deliver(
        _ type: String, to provider: any Provider, _ values: [String: SettingValue],
        _ events: [OutgoingEvent] = [sampleEvent()]
    ) async throws -> [DeliveryReport] {
        let folder = try TemporaryFolder()
        var values = values.mapValues { value -> SettingValue in
            guard case .string(let text) = value, text.hasPrefix("@") else { return value }
            return (try? folder.write(UUID().uuidString, String(text.dropFirst()) + "\n")).map(SettingValue.string)
                ?? value
        }
        let receiver = try await HTTPReceiver { provider.answer($0) }
        values["base_url"] = .string("http://127.0.0.1:\(receiver.port)/")
        values["timeout"] = .string("20s")
        let sink = try makeSink(type, values)
        let reports = await sink.deliver(events)
        await sink.close()
        await receiver.close()
        #expect(leaksNothing(reports, beside: ["hush"]))
        return reports
    }

    @Test func `PassKit: a check-in, with a token made for it`() async throws {
        let provider = PassKitProvider(members: ["M-10023"], key: "pk-key", secret: "hush-secret")
        let values: [String: SettingValue] = [
            "program_id": .string("prog \"1\""), "key_file": .string("@pk-key"), "secret_file": .string("@hush-secret"),
            "address": .string("High Street 1"), "latitude": .double(-51.5), "longitude": .integer(7),
        ]
        let events = [sampleEvent(1), sampleEvent(1), sampleEvent(2, member: "nobody"), sampleEvent(3, member: nil)]
        let reports = try await deliver("passkit", to: provider, values, events)
        #expect(
            reports.map(\.verdict) == [.delivered, .delivered, .refused(retryAfter: nil), .delivered], "\(reports)")
        // The second is the first again, and PassKit sees that by its externalEventId.
        #expect(provider.checkIns == ["\(sampleEvent(1).event.id)"])
        #expect(provider.faults.isEmpty, "\(provider.faults)")
        #expect(reports[3].detail.contains("passed over"))
        var byID = values
        byID["member_is"] = .string("member_id")
        let second = PassKitProvider(members: ["M-10023"], key: "pk-key", secret: "hush-secret", memberKey: "memberId")
        #expect(try await deliver("passkit", to: second, byID).map(\.verdict) == [.delivered])
        var wrong = values
        wrong["secret_file"] = .string("@hush-other")
        #expect(try await deliver("passkit", to: second, wrong).map(\.status) == [401])
    }

    @Test func `Voucherify: points on a card`() async throws {
        let provider = VoucherifyProvider(cards: ["M-10023", "a/b c"], id: "app", token: "hush")
        let values: [String: SettingValue] = [
            "app_id_file": .string("@app"), "app_token_file": .string("@hush"), "points": .integer(3),
        ]
        let events = [sampleEvent(1), sampleEvent(2, member: "a/b c"), sampleEvent(3, member: "nobody")]
        let reports = try await deliver("voucherify", to: provider, values, events)
        #expect(reports.map(\.status) == [200, 200, 404], "\(reports)")
        #expect(provider.balances == ["M-10023": 3, "a/b c": 3])
        #expect(provider.sources == Set([1, 2].map { (number: UInt64) in "\(sampleEvent(number).event.id)" }))
        #expect(provider.faults.isEmpty, "\(provider.faults)")
        var wrong = values
        wrong["app_token_file"] = .string("@hush2")
        #expect(try await deliver("voucherify", to: provider, wrong).map(\.status) == [401])
    }

    @Test func `Square: a search, then points or an order, once`() async throws {
        let provider = SquareProvider(accounts: ["+15550100": "acc-1", "CUST1": "acc-2"], token: "hush")
        let values: [String: SettingValue] = ["token_file": .string("@hush"), "location_id": .string("L1")]
        let order = sampleEvent(2, member: "+15550100", basket: #"{"order_id":"ord-9"}"#)
        let events = [sampleEvent(1, member: "+15550100"), sampleEvent(1, member: "+15550100"), order]
        let reports = try await deliver("square", to: provider, values, events + [sampleEvent(3, member: "+999")])
        #expect(reports.map(\.status) == [200, 200, 200, 200], "\(reports)")
        #expect(
            reports.map(\.verdict) == [.delivered, .delivered, .delivered, .refused(retryAfter: nil)], "\(reports)")
        #expect(reports[3].detail == "no loyalty account at Square has this member")
        #expect(provider.booked == ["acc-1 points 1", "acc-1 order ord-9"])
        #expect(provider.faults.isEmpty, "\(provider.faults)")
        var customers = values
        customers["member_is"] = .string("customer_id")
        #expect(
            try await deliver("square", to: provider, customers, [sampleEvent(9, member: "CUST1")]).map(\.verdict)
                == [.delivered])
        #expect(provider.booked.last == "acc-2 points 1")
        var wrong = values
        wrong["token_file"] = .string("@hush2")
        #expect(try await deliver("square", to: provider, wrong).map(\.status) == [401])
    }

    @Test func `Talon-One: a session with the basket`() async throws {
        let provider = TalonOneProvider(key: "hush")
        let basket = #"{"cartItems":[{"name":"Tea","sku":"t1","quantity":2,"price":3.5}]}"#
        let values: [String: SettingValue] = ["key_file": .string("@hush"), "store_id": .string("shop-42")]
        let events = [sampleEvent(1, basket: basket), sampleEvent(1, basket: basket), sampleEvent(2)]
        let reports = try await deliver("talonone", to: provider, values, events)
        #expect(reports.map(\.verdict) == [.delivered, .delivered, .delivered], "\(reports)")
        #expect(provider.faults.isEmpty, "\(provider.faults)")
        #expect(
            provider.sessions.keys.sorted() == [1, 2].map { (number: UInt64) in "\(sampleEvent(number).event.id)" })
        var cards = values
        (cards["member_is"], cards["session_state"]) = (.string("loyalty_card"), .string("closed"))
        cards["store_id"] = nil
        let second = TalonOneProvider(key: "hush")
        #expect(try await deliver("talonone", to: second, cards).map(\.verdict) == [.delivered])
        #expect(second.faults.isEmpty && second.sessions.values.allSatisfy { $0.contains("loyaltyCards") })
    }

    @Test(arguments: ["passkit", "voucherify", "square", "talonone"])
    func `a provider that is overloaded is waited for`(_ type: String) async throws {
        let values: [String: [String: SettingValue]] = [
            "passkit": ["program_id": .string("p"), "key_file": .string("@k"), "secret_file": .string("@s")],
            "voucherify": ["app_id_file": .string("@a"), "app_token_file": .string("@t")],
            "square": ["token_file": .string("@t"), "location_id": .string("L")],
            "talonone": ["key_file": .string("@k")],
        ]
        let reports = try await deliver(type, to: BusyProvider(), values[type] ?? [:])
        #expect(reports.map(\.verdict) == [.unavailable(retryAfter: .seconds(30))])
    }

    @Test func `keys of a provider's table are checked too`() throws {
        let error = #expect(throws: SettingError.self) {
            try makeSink("square", ["token_file": .string("/nonexistent"), "location_id": .string("L")])
        }
        #expect(error?.key == "token_file")
        #expect(throws: SettingError.self) { try makeSink("talonone", ["key_file": .string("/dev/null")]) }
    }
}
