// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A variable of templates.
struct TemplateVariable: Sendable {
    /// What a variable takes its value from.
    struct Source {
        let outgoing: OutgoingEvent
        let context: SinkContext
        /// The basket as JSON values, where there is one.
        let basket: [String: Any]?

        var event: TapEvent { outgoing.event }

        init(_ outgoing: OutgoingEvent, _ context: SinkContext) {
            (self.outgoing, self.context) = (outgoing, context)
            let text = outgoing.event.basket.map { Data($0.utf8) }
            basket = text.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        }
    }

    let name: String
    let help: String
    let value: @Sendable (Source) -> TemplateValue?

    /// Every variable besides `basket.…` and those of a preset.
    static let table: [TemplateVariable] = [
        TemplateVariable(name: "id", help: "the event's ULID, the same at every attempt") {
            .text($0.event.id.description)
        },
        TemplateVariable(name: "type", help: "the event's type") { .text($0.event.kind.rawValue) },
        TemplateVariable(name: "time", help: "when the tap was, RFC 3339") { .text(EventTime.text($0.event.time)) },
        TemplateVariable(name: "timestamp", help: "the same in seconds since 1970") {
            .json(String(Int64($0.event.time.timeIntervalSince1970.rounded(.down))))
        },
        TemplateVariable(name: "sequence", help: "the counter's own count of events") {
            .json(String($0.event.sequence))
        },
        TemplateVariable(name: "tap", help: "the ULID of the tap, for taps of several events") {
            .text($0.event.tap.description)
        },
        TemplateVariable(name: "source", help: "store and counter as a path") { .text($0.event.source) },
        TemplateVariable(name: "counter", help: "the counter's id") { .text($0.context.counterID) },
        TemplateVariable(name: "store", help: "the store") { .text($0.context.store) },
        TemplateVariable(name: "tenant", help: "the tenant") { .text($0.context.tenant) },
        TemplateVariable(name: "member", help: "the member, as the pass says") { text($0.event.member) },
        TemplateVariable(name: "passTypeId", help: "the pass type") { text($0.event.passTypeIdentifier) },
        TemplateVariable(name: "keyId", help: "the four bytes of the key's id") { text($0.event.keyID) },
        TemplateVariable(name: "deviceTime", help: "the phone's time, RFC 3339") {
            $0.event.deviceTime.map { .text(EventTime.text($0)) }
        },
        TemplateVariable(name: "wallet", help: "apple") { .text($0.event.wallet) },
        TemplateVariable(name: "mode", help: "vas, pay or vasAndPay") { .text($0.event.mode) },
        TemplateVariable(name: "reader", help: "the reader's name") { .text($0.event.readerName) },
        TemplateVariable(name: "latencyMs", help: "how long the tap took") {
            $0.event.latencyMilliseconds.isFinite ? .json("\($0.event.latencyMilliseconds)") : nil
        },
        TemplateVariable(name: "scheme", help: "the card scheme of a payment") { text($0.event.payment?.scheme) },
        TemplateVariable(name: "outcome", help: "the outcome of a payment") { text($0.event.payment?.outcome) },
        TemplateVariable(name: "order_id", help: "order_id, orderId or id of the basket") {
            first(["order_id", "orderId", "id"], in: $0.basket)
        },
        TemplateVariable(name: "amount", help: "amount, total or totalAmount of the basket") {
            first(["amount", "total", "totalAmount"], in: $0.basket)
        },
        TemplateVariable(name: "currency", help: "currency of the basket") { first(["currency"], in: $0.basket) },
        TemplateVariable(name: "basket", help: "what the POS attached; basket.NAME for a part of it") {
            $0.event.basket.map(TemplateValue.json)
        },
        TemplateVariable(name: "event", help: "the whole CloudEvents document") {
            .json(String(decoding: $0.outgoing.body, as: UTF8.self))
        },
    ]

    private static let byName = Dictionary(table.map { ($0.name, $0) }) { first, _ in first }

    /// Whether events have a variable of this name.
    static func exists(_ name: String) -> Bool { byName[name] != nil || name.hasPrefix("basket.") }

    /// The value for one event.
    static func value(_ name: String, _ source: Source) -> TemplateValue? {
        if let variable = byName[name] { return variable.value(source) }
        guard name.hasPrefix("basket."), let basket = source.basket else { return nil }
        var value: Any = basket
        for step in name.split(separator: ".").dropFirst() {
            guard let next = (value as? [String: Any])?[String(step)] else { return nil }
            value = next
        }
        return JSONValues.template(value)
    }

    private static func text(_ value: String?) -> TemplateValue? { value.map(TemplateValue.text) }

    private static func first(_ keys: [String], in basket: [String: Any]?) -> TemplateValue? {
        keys.lazy.compactMap { key in basket?[key].flatMap(JSONValues.template) }.first
    }
}

/// JSON as Foundation reads it.
enum JSONValues {
    /// As a value of a template; nil for null.
    static func template(_ value: Any) -> TemplateValue? {
        if value is NSNull { return nil }
        if let text = value as? String { return .text(text) }
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
        else { return nil }
        return .json(String(decoding: data, as: UTF8.self))
    }

    /// The value at a JSON pointer (RFC 6901); nil when there is none.
    static func value(at pointer: String, in document: Any) -> Any? {
        guard pointer.isEmpty || pointer.hasPrefix("/") else { return nil }
        var value = document
        for part in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let step = part.replacing("~1", with: "/").replacing("~0", with: "~")
            if let object = value as? [String: Any] {
                guard let next = object[String(step)] else { return nil }
                value = next
            } else if let list = value as? [Any], let index = Int(step), list.indices.contains(index) {
                value = list[index]
            } else {
                return nil
            }
        }
        return value
    }
}
