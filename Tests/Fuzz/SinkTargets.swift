// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import WalletCrypto

/// Templates of sinks: the first line is the member, the rest is the template. A URL never has more parts than its
/// template, a header field never more lines, whatever the member is.
@Sendable func fuzzSinkTemplate(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let member = String(decoding: parts.first ?? [], as: UTF8.self)
    let template = String(decoding: parts.dropFirst().first ?? [], as: UTF8.self)
    let rendered = TemplateTrial.render(template, fuzzEvent(member), fuzzContext)
    guard rendered.count == 4 else { return }
    if let url = rendered[2] {
        let isFixed = !template.contains("{{#") && !template.contains("{{^")
        precondition(
            !isFixed || url.utf8.count { $0 == 0x2F } <= template.utf8.count { $0 == 0x2F },
            "a value made another path segment")
    }
    if let field = rendered[3] {
        precondition(
            template.contains { $0.isNewline } || !field.contains { $0.isNewline }, "a value made another field")
    }
}

/// Tables of settings: a line is `KEY=VALUE`, the first line the type. An error names a key and never holds a secret.
@Sendable func fuzzSinkSettings(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(64)
    var values: [String: SettingValue] = [:]
    for line in lines.dropFirst() {
        let pair = line.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { continue }
        values[String(decoding: pair[0], as: UTF8.self)] = fuzzValue(Array(pair[1]), depth: 0)
    }
    let table = SinkTable(name: "fuzz", type: String(decoding: lines.first ?? [], as: UTF8.self), values: values)
    do throws(SettingError) {
        _ = try SinkFactory.make(table, fuzzContext)
    } catch {
        precondition(!error.key.isEmpty || values.keys.contains(""), "an error without a key")
        precondition(!error.reason.contains("c2VjcmV0"), "a secret stands in an error")
    }
    _ = try? SinkFactory.schedule(table)
}

/// Signature fields, and secrets in a file.
@Sendable func fuzzWebhookSignature(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
    }
    let names = [WebhookSignature.idField, WebhookSignature.timestampField, WebhookSignature.signatureField]
    let fields = Dictionary(zip(names, lines)) { first, _ in first }
    let keys = (try? WebhookVerificationKey.all(in: bytes)) ?? []
    _ = try? WebhookSecret.all(in: bytes)
    let own = try? WebhookVerificationKey(fuzzSecret)
    _ = try? WebhookVerifier(keys: keys + (own.map { [$0] } ?? [])).verify(body: bytes) { fields[$0] }
}

/// `[a,b]` is a list, `{k:v}` a table, digits a number; anything else a text.
private func fuzzValue(_ bytes: [UInt8], depth: Int) -> SettingValue {
    let text = String(decoding: bytes, as: UTF8.self)
    if let number = Int(text) { return .integer(number) }
    if let number = Double(text) { return .double(number) }
    if text == "true" || text == "false" { return .boolean(text == "true") }
    guard depth < 4, let first = bytes.first, bytes.count >= 2 else { return .string(text) }
    let inner = bytes.dropFirst().dropLast().split(separator: 0x2C)
    if first == UInt8(ascii: "[") { return .array(inner.map { fuzzValue(Array($0), depth: depth + 1) }) }
    guard first == UInt8(ascii: "{") else { return .string(text) }
    var table: [String: SettingValue] = [:]
    for entry in inner {
        let pair = entry.split(separator: 0x3A, maxSplits: 1)
        guard pair.count == 2 else { continue }
        table[String(decoding: pair[0], as: UTF8.self)] = fuzzValue(Array(pair[1]), depth: depth + 1)
    }
    return .table(table)
}

private let fuzzSecret = "whsec_" + Base64.encode((0..<32).map { UInt8($0) })

private let fuzzContext = SinkContext(counterID: "c1", tenant: "t", store: "s") { _, _ throws(SettingError) in
    Array(fuzzSecret.utf8)
}

private func fuzzEvent(_ member: String) -> OutgoingEvent {
    var event = TapEvent(
        id: ULID(milliseconds: 1, random: [1, 2, 3]), source: "/counters/c1", kind: .loyalty,
        time: Date(timeIntervalSince1970: 1_700_000_000), sequence: 1, readerName: "fuzz", mode: "vas",
        latencyMilliseconds: 1)
    (event.member, event.basket) = (member, #"{"order_id":"o","items":[1,{"a":"b"}]}"#)
    return OutgoingEvent(event)
}
