// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import TestSupport
import Testing

@Suite struct TemplateTests {
    /// A template sink against a stand-in; the requests it made and what it reported.
    private func send(
        _ values: [String: SettingValue], _ events: [OutgoingEvent] = [sampleEvent()], path: String = "/taps/{{id}}",
        answer: @escaping @Sendable (ReceivedRequest) -> ReceiverAnswer = { _ in ReceiverAnswer(200) }
    ) async throws -> (requests: [ReceivedRequest], reports: [DeliveryReport]) {
        let requests = Requests()
        let receiver = try await HTTPReceiver { request in
            requests.add(request)
            return answer(request)
        }
        var values = values
        values["url"] = .string("http://127.0.0.1:\(receiver.port)\(path)")
        let sink = try makeSink("template", values)
        let reports = await sink.deliver(events)
        await sink.close()
        await receiver.close()
        return (requests.all, reports)
    }

    @Test func `values are escaped for the place they stand in`() async throws {
        let member = "a\"b\\c\u{1}/ü?&=%{{id}}</\u{2028}"
        let (requests, reports) = try await send(
            [
                "body": .string(#"{"member":"{{member}}","again":{{{member}}},"points":{{points}},"n":{{sequence}}}"#),
                "points": .double(2.5), "headers": .table(["X-Store": .string("{{store}}/{{counter}}")]),
            ], [sampleEvent(7, member: member)], path: "/m/{{member}}?at={{time}}&id={{id}}")
        #expect(reports.map(\.verdict) == [.delivered], "\(reports)")
        let request = try #require(requests.first)
        let body = try request.object()
        #expect(body["member"] as? String == member && body["again"] as? String == member)
        #expect(body["points"] as? Double == 2.5 && body["n"] as? Int == 7)
        #expect(request.field("x-store") == "0042/counter-1")
        #expect(request.method == "POST" && request.field("content-type") == "application/json")
        let parts = request.target.split(separator: "?")
        #expect(parts[0].dropFirst(3).removingPercentEncoding == member)
        #expect(!parts[0].dropFirst(3).contains("/"))
        #expect(parts[1] == "at=2023-11-14T22%3A13%3A20.123Z&id=\(sampleEvent(7).event.id)")
    }

    @Test func `a form`() async throws {
        let (requests, reports) = try await send(
            [
                "body_type": .string("form"), "body": .string("card={{member}}&ref={{id}}&shop={{store}}"),
            ], [sampleEvent(member: "a b&c=d")])
        #expect(reports.map(\.verdict) == [.delivered])
        #expect(requests.first?.text == "card=a%20b%26c%3Dd&ref=\(sampleEvent().event.id)&shop=0042")
        #expect(requests.first?.field("content-type") == "application/x-www-form-urlencoded")
    }

    @Test func `conditions and baskets`() async throws {
        let body = """
            {"id":"{{id}}",{{#order_id}}"order":"{{order_id}}",{{/order_id}}{{^order_id}}"visit":true,{{/order_id}}\
            {{#basket.items}}"items":{{{basket.items}}},{{/basket.items}}"sum":{{#amount}}{{{amount}}}{{/amount}}\
            {{^amount}}null{{/amount}}}
            """
        let basket = #"{"orderId":"o-1","total":12.5,"items":[{"sku":"x \"y\"","n":2}],"nothing":null}"#
        let (requests, reports) = try await send(
            ["body": .string(body)], [sampleEvent(1, basket: basket), sampleEvent(2)])
        #expect(reports.map(\.verdict) == [.delivered, .delivered], "\(reports)")
        let (with, without) = (try requests[0].object(), try requests[1].object())
        #expect(with["order"] as? String == "o-1" && with["sum"] as? Double == 12.5 && with["visit"] == nil)
        #expect((with["items"] as? [[String: Any]])?.first?["sku"] as? String == "x \"y\"")
        #expect(without["visit"] as? Bool == true && without["items"] == nil && without["sum"] is NSNull)
    }

    @Test func `without a body the event itself is sent`() async throws {
        let (requests, _) = try await send(["content_type": .string("application/cloudevents+json")])
        #expect(requests.first?.body == sampleEvent().body)
        #expect(requests.first?.field("content-type") == "application/cloudevents+json")
    }

    @Test func `the event's id in a header field or in the body`() async throws {
        let (requests, _) = try await send(
            [
                "body": .string(#" {"member":"{{member}}"}"#), "idempotency_header": .string("Idempotency-Key"),
                "idempotency_field": .string("source_id"),
            ], path: "/x")
        let request = try #require(requests.first)
        #expect(request.field("idempotency-key") == "\(sampleEvent().event.id)")
        #expect(try request.object()["source_id"] as? String == "\(sampleEvent().event.id)")
        let (empty, _) = try await send(
            ["body": .string("{ }"), "idempotency_field": .string("a\"b")], path: "/x")
        #expect(try empty.first?.object()["a\"b"] as? String == "\(sampleEvent().event.id)")
    }

    @Test func `an event that lacks a value is refused, a payment is passed over`() async throws {
        let body = SettingValue.string(#"{"member":"{{member}}","order":"{{order_id}}"}"#)
        let (requests, reports) = try await send(["body": body], [sampleEvent(1), sampleEvent(2, member: nil)])
        #expect(requests.isEmpty)
        #expect(reports.map(\.verdict) == [.refused(retryAfter: nil), .delivered])
        #expect(reports[0].detail == "the event has no order_id, which this sink needs")
        #expect(reports[1].detail == "passed over: the event has no member")
        let (_, skipped) = try await send(["body": body, "missing": .string("skip")])
        #expect(skipped.map(\.verdict) == [.delivered])
    }

    @Test(arguments: [".", "..", ""]) func `a member that would be another path is refused`(_ member: String)
        async throws
    {
        let (requests, reports) = try await send(
            ["body": .string("{}")], [sampleEvent(member: member)], path: "/members/{{member}}/points?i={{id}}")
        #expect(requests.isEmpty)
        #expect(reports.map(\.verdict) == [.refused(retryAfter: nil)])
        #expect(reports[0].detail == "the event's member cannot stand in a URL")
    }

    @Test func `a member that would be another header field is refused`() async throws {
        let (requests, reports) = try await send(
            ["headers": .table(["X-Member": .string("{{member}}")])], [sampleEvent(member: "a\r\nX-Evil: 1")])
        #expect(requests.isEmpty && reports.map(\.verdict) == [.refused(retryAfter: nil)])
        #expect(leaksNothing(reports, beside: ["Evil"]))
    }

    @Test func `what means success`() async throws {
        let rules: [([String: SettingValue], ReceiverAnswer, DeliveryReport.Verdict)] = [
            (["success_status": .array([.integer(201)])], ReceiverAnswer(200), .refused(retryAfter: nil)),
            (["success_status": .array([.integer(201)])], ReceiverAnswer(201), .delivered),
            (["duplicate_status": .array([.integer(409)])], ReceiverAnswer(409), .delivered),
            ([:], ReceiverAnswer(409), .refused(retryAfter: nil)), ([:], ReceiverAnswer(410), .disabled),
            (["success_status": .array([.integer(302)])], ReceiverAnswer(302), .delivered),
            ([:], ReceiverAnswer(503, headers: [("retry-after", "7")]), .unavailable(retryAfter: .seconds(7))),
        ]
        for (values, answer, verdict) in rules {
            #expect(try await send(values, answer: { _ in answer }).reports.map(\.verdict) == [verdict])
        }
        let member: [String: SettingValue] = [
            "success_pointer": .string("/result/0/ok~1ay"), "success_value": .string("true"), "timeout": .string("3s"),
        ]
        let bodies: [(ReceiverAnswer, DeliveryReport.Verdict)] = [
            (ReceiverAnswer(body: Array(#"{"result":[{"ok/ay":true}]}"#.utf8)), .delivered),
            (ReceiverAnswer(body: Array(#"{"result":[{"ok/ay":"true"}]}"#.utf8)), .delivered),
            (ReceiverAnswer(body: Array(#"{"result":[{"ok/ay":false}]}"#.utf8)), .refused(retryAfter: nil)),
            (ReceiverAnswer(body: Array(#"{"result":[]}"#.utf8)), .refused(retryAfter: nil)),
            (ReceiverAnswer(body: Array("nonsense".utf8)), .refused(retryAfter: nil)),
            (ReceiverAnswer(body: [UInt8](repeating: 0x5B, count: 60_000)), .refused(retryAfter: nil)),
            (ReceiverAnswer(body: [UInt8](repeating: 0x20, count: 100_000)), .unavailable(retryAfter: nil)),
            (ReceiverAnswer(manner: .drip(every: .milliseconds(20))), .unavailable(retryAfter: nil)),
        ]
        for (answer, verdict) in bodies {
            let reports = try await send(member, answer: { _ in answer }).reports
            #expect(reports.map(\.verdict) == [verdict], "\(reports)")
        }
    }

    @Test(arguments: [
        (["body": #"{"a":"{{membr}}"}"#], "body", "there is no variable membr"),
        (["url": "https://example.com/{{unknown.thing}}"], "url", "there is no variable"),
        (["url": "https://{{store}}.example.com/{{id}}"], "url", "not in its host"),
        (["url": "https://example.com/{{{member}}}{{id}}"], "url", "only a JSON body"),
        (["body": #"{"a":{{member}}}"#], "body", "gives no JSON"),
        (["body": #"{"a":"{{member}}",}"#], "body", "gives no JSON"),
        (["body": #"{{#order_id}}{"a":1}{{/order_id}}"#], "body", "gives no JSON"),
        (["body": #"{"a":{{#store}}"x{{/store}}{{^store}}"y{{/store}}"}"#], "body", "begins or ends within"),
        (["body": "{{#member}}"], "body", "does not close"),
        (["body": "{{/member}}"], "body", "not the condition that is open"),
        (["body": "{{#member}}{{#store}}{{/member}}{{/store}}"], "body", "not the condition that is open"),
        (["body": "{{member"], "body", "without }}"),
        (["body": "{{>partial}}"], "body", "no name, condition or comment"),
        (["body": "{{=<% %>=}}"], "body", "no name, condition or comment"),
        (["body": "{{% CONTENT_TYPE:HTML}}"], "body", "no name, condition or comment"),
        (["body": "{{member.uppercased()}}"], "body", "no name, condition or comment"),
        (["body": "{}", "url": "https://example.com/"], "url", "tells a repeated event"),
        (["success_pointer": "/a"], "success_value", "is missing"),
        (["success_value": "a"], "success_pointer", "is missing"),
        (["idempotency_header": "Host"], "idempotency_header", "no header field"),
        (["idempotency_field": "a", "body": "[]"], "idempotency_field", "JSON object"),
        (["method": "DELETE"], "method", "must be one of"),
    ]) func `a template that is wrong is refused when it is read`(
        _ texts: [String: String], _ key: String, _ word: String
    ) {
        var values = texts.mapValues(SettingValue.string)
        values["url"] = values["url"] ?? .string("https://example.com/{{id}}")
        let error = #expect(throws: SettingError.self) { try makeSink("template", values) }
        #expect(error?.key == key)
        #expect(error?.reason.contains(word) == true, "\(String(describing: error))")
    }

    @Test func `an amount without quotes is a number, or is not sent`() async throws {
        let body: [String: SettingValue] = ["body": .string(#"{"id":"{{id}}","amount":{{amount}},"s":"{{amount}}"}"#)]
        let cases: [(basket: String, sent: String?)] = [
            (#"{"amount":12.50}"#, #""amount":12.5,"s":"12.5""#),
            (#"{"amount":"12.50"}"#, #""amount":12.50,"s":"12.50""#),
            (#"{"amount":"1,\"role\":\"admin\""}"#, nil), (#"{"amount":"12,50 EUR"}"#, nil),
            (#"{"amount":""}"#, nil), (#"{"amount":"1 "}"#, nil), (#"{"amount":"true"}"#, nil),
            (#"{"amount":"01"}"#, nil),
        ]
        for (basket, sent) in cases {
            let (requests, reports) = try await send(body, [sampleEvent(basket: basket)])
            if let sent {
                #expect(requests.first?.text.contains(sent) == true, "\(requests.map(\.text))")
            } else {
                #expect(requests.isEmpty && reports.map(\.verdict) == [.refused(retryAfter: nil)], "\(basket)")
                #expect(reports.first?.detail.contains("amount cannot stand in a body") == true)
            }
        }
        // Between quotes any text may stand.
        let quoted = try await send(
            ["body": .string(#"{"id":"{{id}}","a\"b":"{{amount}}"}"#)],
            [sampleEvent(basket: #"{"amount":"12,50 \"EUR\""}"#)])
        #expect(try #require(quoted.requests.first).object()[#"a"b"#] as? String == #"12,50 "EUR""#)
    }

    @Test func `deep and long templates are refused, not followed`() {
        let deep = String(repeating: "{{#member}}", count: 5000) + String(repeating: "{{/member}}", count: 5000)
        for body in [deep, String(repeating: "x", count: 70_000)] {
            #expect(throws: SettingError.self) {
                try makeSink("template", ["url": .string("https://example.com/{{id}}"), "body": .string(body)])
            }
        }
    }
}
