// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import Foundation
import Testing

@testable import ProximityReader

@Suite("Checks of a loyalty request")
struct RequestRuleTests {
    typealias Merchant = VASRequest.Merchant

    private func problem(_ merchants: [Merchant], type: String = "") -> String? {
        do throws(PaymentCardReaderSession.ReadError) {
            _ = try VASPlan(VASRequest(vasMerchants: merchants, localizedVASType: type), defaults: [])
            return nil
        } catch {
            switch error {
            case .invalidVASMerchants(let reason?): return "merchants: \(reason)"
            case .invalidVASRequestParameters(let reason?): return "parameters: \(reason)"
            default: return error.errorName
            }
        }
    }

    private func merchant(url: String) -> Merchant {
        Merchant(id: "pass.a", url: URL(string: url))
    }

    @Test("Merchants")
    func merchants() {
        #expect(problem([]) == "merchants: a request needs at least one merchant")
        let many = (0..<17).map { Merchant(id: "pass.m\($0)") }
        #expect(problem(many) == "merchants: there are 17 merchants; 16 are allowed")
        #expect(problem(Array(many.prefix(16))) == nil)
        #expect(problem([Merchant(id: "")]) == "merchants: merchant 1: the id is empty")
        for id in ["pass.", "com.example.club", "pass.a b", "pass.ä", "pass.a\0", "Pass.a"] {
            #expect(problem([Merchant(id: "pass.a"), Merchant(id: id)])?.hasPrefix("merchants: merchant 2: ") == true)
        }
        #expect(problem([Merchant(id: "pass." + String(repeating: "a", count: 123))]) == nil)
        #expect(problem([Merchant(id: "pass." + String(repeating: "a", count: 124))])?.contains("129") == true)
        #expect(problem([Merchant(id: "pass.a"), Merchant(id: "pass.a")])?.hasSuffix("listed twice") == true)
    }

    @Test("URLs")
    func urls() {
        #expect(problem([merchant(url: "https://example.com/")]) == nil)
        // As long as the URLs of Apple's own sample.
        #expect(problem([merchant(url: "https://example.com/" + String(repeating: "a", count: 60))]) == nil)
        let long = "https://example.com/" + String(repeating: "a", count: 200)
        #expect(problem([merchant(url: long)])?.contains("shorten the URL") == true)
        for url in ["http://example.com", "example.com/join", "https:/join", "file:///etc"] {
            #expect(problem([merchant(url: url)])?.contains("https") == true, "\(url)")
        }
        let only = Merchant(id: "pass.a", shouldSendURLOnly: true)
        #expect(problem([only]) == "merchants: merchant 1: shouldSendURLOnly needs a url")
    }

    @Test("The programme's name: 22 characters are shown, 64 are taken")
    func type() throws {
        let list = [Merchant(id: "pass.a")]
        #expect(problem(list, type: String(repeating: "é", count: 64)) == nil)
        #expect(
            problem(list, type: String(repeating: "a", count: 65))
                == "parameters: localizedVASType has 65 characters; 64 are allowed, 22 are shown")
        #expect(problem(list, type: "a\nb")?.hasPrefix("parameters: ") == true)
        let request = VASRequest(vasMerchants: list, localizedVASType: "Example Company Loyalty Program")
        #expect(try VASPlan(request, defaults: []).shownType == "Example Company Loyalt")
    }

    @Test("A bad request throws before anything happens on the sheet")
    func noEvents() async throws {
        let bench = try Bench()
        let (result, events) = await bench.read(VASRequest())
        #expect(caseName(result) == "invalidVASMerchants")
        #expect(events.isEmpty && bench.phone.tapCount == 0)
        let parameters = await bench.read(
            VASRequest(vasMerchants: [.init(id: Bench.club)], localizedVASType: "\u{7}"))
        #expect(caseName(parameters.result) == "invalidVASRequestParameters")
    }

    @Test("A merchant without a name is called by its identifier")
    func localizedName() {
        #expect(Merchant(id: "pass.a").localizedName == "pass.a")
        #expect(Merchant(id: "pass.a", localizedName: "Club").localizedName == "Club")
    }
}
