// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import LoyaltyFeed
import TestSupport
import Testing

@Suite("Event bodies")
struct EventBodyTests {
    static let example: TapEvent = {
        var event = TapEvent(
            id: Taps.id(1), source: "/stores/0042/counters/3", kind: .loyalty,
            time: Date(timeIntervalSince1970: 1_795_225_200.123), sequence: 1742, readerName: "ACS ACR1252",
            mode: "vasAndPay", latencyMilliseconds: 212)
        event.passTypeIdentifier = "pass.com.example.club"
        event.partitionKey = String(repeating: "9f", count: 16)
        (event.member, event.keyID) = ("M-10023", "beef7375")
        event.deviceTime = Date(timeIntervalSince1970: 1_795_225_199)
        event.payment = .init(scheme: "visa", outcome: "onlineRequest")
        event.basket = #"{"order":"A-1","lines":[{"sku":"x","price":1.50}]}"#
        return event
    }()

    @Test("the whole body, byte for byte")
    func whole() {
        let body = String(decoding: Self.example.body, as: UTF8.self)
        let expected =
            #"{"specversion":"1.0","id":"\#(Taps.id(1))","source":"/stores/0042/counters/3","#
            + #""type":"dev.countertop.loyalty.tap.v1","time":"2026-11-21T01:40:00.123Z","#
            + #""timestamp":"2026-11-21T01:40:00.123Z","subject":"pass.com.example.club","#
            + #""partitionkey":"9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f","sequence":"00000000000000001742","#
            + #""correlationid":"\#(Taps.id(1))","datacontenttype":"application/json","#
            + #""data":{"wallet":"apple","member":"M-10023","passTypeId":"pass.com.example.club","#
            + #""keyId":"beef7375","deviceTime":"2026-11-21T01:39:59Z","mode":"vasAndPay","#
            + #""payment":{"scheme":"visa","outcome":"onlineRequest"},"reader":{"name":"ACS ACR1252"},"#
            + #""latencyMs":212,"basket":{"order":"A-1","lines":[{"sku":"x","price":1.50}]}}}"#
        #expect(body == expected)
    }

    @Test("what is written reads back to the same, and writes to the same bytes")
    func roundTrip() throws {
        var random = SeededRandom(seed: 11)
        for _ in 0..<2_000 {
            let event = Self.random(&random)
            let body = event.body
            let again = try TapEvent(body: body)
            #expect(again == event)
            #expect(again.body == body)
            #expect(!body.contains(0x0A))
        }
    }

    @Test("changed bodies never trap, and name no content in their errors")
    func mutations() {
        var random = SeededRandom(seed: 12)
        var refused = 0
        for _ in 0..<5_000 {
            let body = random.mutate(Self.example.body)
            do throws(EventError) {
                let event = try TapEvent(body: body)
                #expect(throws: Never.self) { try TapEvent(body: event.body) }
            } catch {
                refused += 1
                #expect(!error.description.contains("M-10023"))
            }
        }
        #expect(refused > 1_000)
    }

    @Test(
        "bodies of another kind are refused by name",
        arguments: [
            (#""1.0""#, #""0.3""#, "specversion"), ("00000000000000001742", "1742", "sequence"),
            (#""latencyMs":212"#, #""latencyMs":"212""#, "data.latencyMs"), ("T01:40:00.123Z", "T01:40:00.123", "time"),
            (#""name":"ACS ACR1252""#, #""name":7"#, "data.reader.name"),
            ("2026-11-21T01:39:59Z", "soon", "data.deviceTime"),
            (#""subject":"pass.com.example.club""#, #""subject":"pass.other""#, "data.passTypeId"),
            (#""basket":{"#, #""basket":[],"x":{"#, "data.basket"),
            ("application/json", "text/plain", "datacontenttype"),
        ])
    func refused(part: String, other: String, member: String) {
        let body = String(decoding: Self.example.body, as: UTF8.self).replacing(part, with: other, maxReplacements: 1)
        let error = #expect(throws: EventError.self) { try TapEvent(body: Array(body.utf8)) }
        #expect(error?.member == member)
    }

    @Test("members that this version does not know are read past")
    func unknownMembers() throws {
        let body = String(decoding: Self.example.body, as: UTF8.self)
            .replacing(#"{"specversion""#, with: #"{"traceparent":"00-1","specversion""#)
        #expect(try TapEvent(body: Array(body.utf8)) == Self.example)
    }

    @Test(
        "times are those of other programs",
        arguments: [
            (0.0, "1970-01-01T00:00:00.000Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.000Z"), (4_107_542_399.9996, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799.999, "9999-12-31T23:59:59.999Z"), (1e300, "9999-12-31T23:59:59.999Z"),
            (.nan, "1970-01-01T00:00:00.000Z"),
        ])
    func times(seconds: Double, text: String) {
        var event = Self.example
        event.time = Date(timeIntervalSince1970: seconds)
        #expect(String(decoding: event.body, as: UTF8.self).contains(#""time":"\#(text)""#))
    }

    @Test(
        "a message is text only when it can be shown",
        arguments: [
            ([UInt8]("M-1".utf8), "M-1"), ([0x4D, 0x00], nil), ([0xFF], nil), ([], nil), (Array("a\nb".utf8), nil),
            (Array("é😀".utf8), "é😀"),
        ] as [([UInt8], String?)])
    func messages(bytes: [UInt8], text: String?) { #expect(TapEvent.text(ofMessage: bytes) == text) }

    @Test(
        "the schema and CloudEvents' own package accept our bodies, and refuse broken ones",
        .enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
    func outside() throws {
        var random = SeededRandom(seed: 13)
        var bodies = (0..<200).map { _ in String(decoding: Self.random(&random).body, as: UTF8.self) }
        bodies.append(String(decoding: Self.example.body, as: UTF8.self))
        let verdict = try Outside.python(Self.script, [Self.schemaPath] + bodies, as: [String].self)
        #expect(verdict == [])
    }

    static let schemaPath = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/LoyaltyFeed/Schema/tap-event.v1.schema.json").path()

    private static let script = """
        import jsonschema
        from cloudevents.core.v1.event import CloudEvent
        from cloudevents.core.formats.json import JSONFormat
        schema = json.load(open(data[0]))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
        found = []
        for text in data[1:]:
            body = json.loads(text)
            found += [error.message for error in validator.iter_errors(body)]
            event = JSONFormat().read(CloudEvent, text)
            if event.get_id() != body["id"] or event.get_data() != body["data"]: found.append("CloudEvents differs")
            for broken in ["id", "source", "type", "sequence", "data"]:
                less = {name: value for name, value in body.items() if name != broken}
                if validator.is_valid(less): found.append("valid without " + broken)
            if validator.is_valid({**body, "extra": 1}): found.append("valid with more")
        print(json.dumps(found))
        """

    /// An event of any shape that a counter makes.
    static func random(_ random: inout SeededRandom) -> TapEvent {
        func text(_ random: inout SeededRandom) -> String {
            let alphabet = Array("abcXYZ 09-_\"\\/\u{1}\n\té😀\u{7F}\u{2028}")
            return String(
                (0..<Int.random(in: 1...12, using: &random)).compactMap { _ in
                    alphabet.randomElement(using: &random)
                })
        }
        let isPayment = Int.random(in: 0..<4, using: &random) == 0
        var event = TapEvent(
            id: ULID(milliseconds: random.next() >> 16, random: random.bytes(10)), source: "/counters/c1",
            kind: isPayment ? .payment : .loyalty,
            time: Date(timeIntervalSince1970: Double(Int64.random(in: 0...4_000_000_000_000, using: &random)) / 1000),
            sequence: random.next(), readerName: text(&random),
            mode: ["vas", "pay", "vasAndPay"].randomElement(using: &random) ?? "vas",
            latencyMilliseconds: Double(Int.random(in: 0...9_000_000, using: &random)) / 1000)
        if isPayment || Bool.random(using: &random) {
            event.payment = .init(scheme: text(&random), outcome: text(&random))
        }
        if !isPayment {
            event.passTypeIdentifier = text(&random)
            event.member = Bool.random(using: &random) ? text(&random) : nil
            event.partitionKey = event.member.map { _ in String(repeating: "0f", count: 16) }
            event.keyID = "0123abcd"
            event.deviceTime = Date(timeIntervalSince1970: Double(UInt32.random(in: 0...UInt32.max, using: &random)))
        }
        if Bool.random(using: &random) { event.basket = #"{"n":[1,2.50,-3e4],"t":"é","e":{}}"# }
        return event
    }
}
