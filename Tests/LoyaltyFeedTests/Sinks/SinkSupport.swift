// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import Synchronization
import TestSupport
import Testing
import WalletCrypto

/// What sinks are made with in tests: files by their real path, `counter-1` in store 0042.
let testContext = SinkContext(counterID: "counter-1", tenant: "acme", store: "0042") {
    key, path throws(SettingError) in
    guard let bytes = FileManager.default.contents(atPath: path) else {
        throw SettingError(key, "cannot be read")
    }
    return Array(bytes)
}

/// A sink from a table.
func makeSink(_ type: String, _ values: [String: SettingValue], name: String = "shop") throws -> any Sink {
    try SinkFactory.make(SinkTable(name: name, type: type, values: values), testContext)
}

/// An event as the outbox gives it, without the outbox.
func sampleEvent(_ number: UInt64 = 1, member: String? = "M-10023", basket: String? = nil) -> OutgoingEvent {
    let id = ULID(milliseconds: 1_700_000_000_000 + number, random: [UInt8](repeating: 7, count: 10))
    var event = TapEvent(
        id: id, source: "/stores/0042/counters/counter-1", kind: member == nil ? .payment : .loyalty,
        time: Date(timeIntervalSince1970: 1_700_000_000.123), sequence: number, readerName: "Emulated", mode: "vas",
        latencyMilliseconds: 12.5)
    (event.member, event.basket) = (member, basket)
    if member != nil { event.passTypeIdentifier = "pass.com.example.club" }
    let body = """
        {"specversion":"1.0","id":"\(id)","source":"\(event.source)","type":"\(event.kind.rawValue)",\
        "time":"2023-11-14T22:13:20.123Z","timestamp":"2023-11-14T22:13:20.123Z",\
        "data":{"member":"\(member ?? "")"}}
        """
    return OutgoingEvent(event: event, body: Array(body.utf8))
}

/// `whsec_` of 32 bytes, never one of anybody.
let testSecret = "whsec_" + Base64.encode((0..<32).map { UInt8($0) })

/// What a stand-in was sent.
final class Requests: Sendable {
    private let list = Mutex<[ReceivedRequest]>([])
    func add(_ request: ReceivedRequest) { list.withLock { $0.append(request) } }
    var all: [ReceivedRequest] { list.withLock { $0 } }
}

/// Nothing of the event, the secret or the URL is in a report.
func leaksNothing(_ reports: [DeliveryReport], beside extra: [String] = []) -> Bool {
    let words = ["M-10023", "whsec_", "token=", "hush", "specversion", "Bearer"] + extra
    return reports.allSatisfy { report in words.allSatisfy { !report.detail.contains($0) } }
}

extension ReceivedRequest {
    /// The body as a JSON object.
    func object() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}
