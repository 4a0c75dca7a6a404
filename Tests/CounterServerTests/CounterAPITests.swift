// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import LoyaltyFeed
import Synchronization
import TestSupport
import Testing
import WalletCrypto

/// What each route answers.
@Suite struct CounterAPITests {
    static let trace = """
        # WHAT: a pass is read
        # ATR: 3B8F80014F0CA00000030603000100000000006A
        00A404000A4F53452E5641532E303100
        6F1D50084170706C655061799F210201009F2404010203049F23040000001E9000
        # 3ms
        80CA0101369F220201009F2520000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F9F28040A0B0C0D9F26040080000200
        6287

        """

    @Test func `taps with a cursor`() async throws {
        let bench = try await APIBench.start()
        #expect(try bench.json("/v1/taps")["cursor"] as? String == "0")
        for number in 1...5 { try await bench.tap(number) }
        let first = try bench.json("/v1/taps?limit=2")
        let cursor = try #require(first["cursor"] as? String)
        #expect((first["taps"] as? [Any])?.count == 2)
        let rest = try bench.json("/v1/taps?after=\(cursor)")
        #expect((rest["taps"] as? [Any])?.count == 3)
        let end = try #require(rest["cursor"] as? String)
        #expect(try bench.json("/v1/taps?after=\(end)")["cursor"] as? String == end)
        let latest = try #require(try bench.json("/v1/taps?latest=2")["taps"] as? [[String: Any]])
        #expect(latest.map { $0["id"] as? String } == [4, 5].map { ControlDouble.record($0).id.description })
        try await bench.stop()
    }

    @Test func `one tap, masked`() async throws {
        let bench = try await APIBench.start()
        let tap = try await bench.tap()
        let json = try bench.json("/v1/taps/\(tap.id)")
        #expect(json["result"] as? String == "read" && json["hasTrace"] as? Bool == false)
        let pass = try #require((json["passes"] as? [[String: Any]])?.first)
        #expect(pass["member"] as? String == "M…1" && pass["statusWord"] as? String == "9000")
        let event = try #require((json["events"] as? [[String: Any]])?.first)
        #expect(event["position"] as? Int == 1 && event["sequence"] as? Int == 1)
        #expect(try bench.ask("GET", "/v1/taps/\(tap.id.description.lowercased())").status == 200)
        #expect(try bench.ask("GET", "/v1/taps/01ARZ3NDEKTSV4RRFFQ69G5FAV").status == 404)
        try await bench.stop()
    }

    @Test func `the trace says why`() async throws {
        let bench = try await APIBench.start()
        let tap = try await bench.tap(1, trace: Self.trace, member: nil)
        let json = try bench.json("/v1/taps/\(tap.id)/trace")
        let exchanges = try #require(json["exchanges"] as? [[String: Any]])
        #expect(exchanges.map { $0["name"] as? String } == ["SELECT OSE.VAS.01", "GET VAS DATA #1"])
        #expect(
            exchanges[1]["statusText"] as? String == "the pass is not activated: phone locked, or pass already read")
        #expect(exchanges[0]["context"] as? String == "vas")
        let words = try #require(json["explanation"] as? [[String: Any]])
        #expect((words.first?["hint"] as? String)?.contains("unlock") == true, "\(words)")
        let plain = try bench.ask("GET", "/v1/taps/\(tap.id)/trace", nil, ["Accept": "text/plain"])
        #expect(plain.text == Self.trace && plain.field("Content-Type") == "text/plain; charset=utf-8")
        #expect(try bench.ask("POST", "/v1/taps/\(tap.id)/replay").json()["same"] as? Bool == true)
        let bare = try await bench.tap(2)
        #expect(try bench.ask("GET", "/v1/taps/\(bare.id)/trace").status == 404)
        try await bench.stop()
    }

    @Test func `two taps side by side`() async throws {
        let bench = try await APIBench.start()
        let other = Self.trace.replacingOccurrences(of: "\n6287\n", with: "\n6A83\n")
        let nonce = Self.trace.replacingOccurrences(of: "0A0B0C0D9F26", with: "010101019F26")
        let a = try await bench.tap(1, trace: Self.trace)
        let b = try await bench.tap(2, trace: other)
        let c = try await bench.tap(3, trace: nonce)
        #expect(try bench.json("/v1/compare?left=\(a.id)&right=\(c.id)")["same"] as? Bool == true)
        let json = try bench.json("/v1/compare?left=\(a.id)&right=\(b.id)")
        let rows = try #require(json["rows"] as? [[String: Any]])
        #expect(rows.map { $0["difference"] as? String } == ["same", "response"])
        #expect(json["same"] as? Bool == false)
        #expect(try bench.ask("GET", "/v1/compare?left=\(a.id)").status == 400)
        try await bench.stop()
    }

    @Test func `the emulated phone`() async throws {
        let bench = try await APIBench.start()
        let tap = try bench.ask("POST", "/v1/wallet/tap")
        #expect(tap.status == 200)
        let id = try #require(try tap.json()["id"] as? String)
        #expect(try bench.json("/v1/taps/\(id)")["id"] as? String == id)
        let changed = try bench.ask(
            "PATCH", "/v1/wallet",
            #"{"locked":true,"leavesFieldAt":3,"answerDelayMs":5,"chosen":"pass.com.example.club"}"#)
        #expect(changed.status == 200)
        let phone = try bench.json("/v1/wallet")
        #expect(phone["locked"] as? Bool == true && phone["leavesFieldAt"] as? Int == 3)
        let refused = try bench.ask("POST", "/v1/wallet/tap")
        #expect(refused.status == 409 && refused.field("Content-Type") == "application/problem+json")
        #expect(try refused.json()["code"] as? String == "locked")
        for (body, status) in [
            (#"{"locked":1}"#, 422), (#"{"lockd":true}"#, 422), ("[]", 422), ("{", 400), (#"{"chosen":"x"}"#, 422),
            (#"{"answerDelayMs":1.5}"#, 422), (#"{"leavesFieldAt":99999999999999999999}"#, 422), ("", 400),
        ] { #expect(try bench.ask("PATCH", "/v1/wallet", body).status == status, "\(body)") }
        bench.control.knobs.withLock { $0.wallet = nil }
        #expect(try bench.ask("GET", "/v1/wallet").status == 409)
        #expect(try bench.ask("POST", "/v1/wallet/tap").status == 409)
        try await bench.stop()
    }

    @Test func `a basket comes in time or not at all`() async throws {
        let bench = try await APIBench.start(basketWindow: .seconds(60))
        let tap = try await bench.tap()
        let path = "/v1/taps/\(tap.id)/basket"
        #expect(try bench.ask("POST", path, "[1]").status == 422)
        let long = String(repeating: "x", count: 20_000)
        #expect(try bench.ask("POST", path, "{\"order\":\"\(long)\"}").status == 413)
        #expect(try bench.ask("POST", path, #"{"order":"7"}"#).status == 200)
        #expect(try bench.ask("POST", path, #"{"order":"8"}"#).status == 409)
        #expect(try bench.ask("GET", "/v1/events").text.contains(#""order":"7""#))
        try await bench.stop()
        let none = try await APIBench.start()
        let late = try await none.tap()
        #expect(try none.ask("POST", "/v1/taps/\(late.id)/basket", "{}").status == 409)
        try await none.stop()
    }

    @Test func `deliveries, sinks and resending`() async throws {
        let bench = try await APIBench.start()
        let tap = try await bench.tap()
        #expect((try bench.json("/v1/deliveries")["deliveries"] as? [Any])?.isEmpty == true)
        #expect((try bench.json("/v1/sinks")["sinks"] as? [Any])?.isEmpty == true)
        for (body, status) in [
            (#"{"event":"\#(tap.id)"}"#, 200), (#"{"dead":true}"#, 200), (#"{"since":"2026-11-21T00:00:00Z"}"#, 200),
            ("{}", 422), (#"{"dead":false}"#, 422), (#"{"dead":true,"since":"2026-11-21T00:00:00Z"}"#, 422),
            (#"{"event":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#, 404), (#"{"dead":true,"sink":"none"}"#, 404),
            (#"{"since":"yesterday"}"#, 422), (#"{"event":"x"}"#, 422), (#"{"event":7}"#, 422),
        ] { #expect(try bench.ask("POST", "/v1/deliveries/resend", body).status == status, "\(body)") }
        for query in ["state=lost", "event=x", "limit=0", "limit=1001", "before=-1", "limit=+5", "limit="] {
            #expect(try bench.ask("GET", "/v1/deliveries?\(query)").status == 400, "\(query)")
        }
        #expect(try bench.ask("POST", "/v1/sinks/none/test").status == 404)
        #expect(try bench.ask("POST", "/v1/sinks/none/enable").status == 404)
        try await bench.stop()
    }

    @Test func `monitoring`() async throws {
        let bench = try await APIBench.start()
        #expect(try bench.ask("GET", "/metrics").text.contains("countertop_taps_total 1"))
        #expect(try bench.json("/readyz")["ok"] as? Bool == true)
        bench.control.knobs.withLock { $0.isFine = false }
        #expect(try bench.ask("GET", "/healthz").status == 503)
        try await bench.stop()
    }

    @Test func `the dictionary names what traces hold`() async throws {
        let bench = try await APIBench.start()
        let json = try bench.json("/v1/dictionary")
        let tags = try #require(json["tags"] as? [[String: Any]])
        #expect(tags.contains { $0["tag"] as? String == "9F25" && $0["context"] as? String == "vas" })
        #expect(tags.contains { $0["tag"] as? String == "5A" && $0["sensitive"] as? Bool == true })
        let words = try #require(json["statusWords"] as? [[String: Any]])
        #expect(words.contains { $0["status"] as? String == "6287" && $0["context"] as? String == "vas" })
        try await bench.stop()
    }
}
