// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816

extension PaymentCard {
    /// The object that reads back as this card; keys with their default value are left out.
    var json: PhoneJSON {
        var members: [String: PhoneJSON] = ["network": .string(network.rawValue)]
        let plain = PaymentCard(network)
        func set<Value: Equatable>(
            _ key: String, _ member: KeyPath<PaymentCard, Value>, _ write: (Value) -> PhoneJSON
        ) {
            if self[keyPath: member] != plain[keyPath: member] { members[key] = write(self[keyPath: member]) }
        }
        func number(_ value: Int?) -> PhoneJSON { .number(Double(value ?? 0)) }
        set("label", \.label) { .string($0 ?? "") }
        set("pan", \.pan) { .string($0 ?? "") }
        set("sequenceNumber", \.sequenceNumber) { .string($0) }
        set("expiry", \.expiry) { .string($0.text) }
        set("formFactor", \.formFactor) { .string(Hex.encode($0 ?? [])) }
        set("atc", \.counter) { number(Int($0)) }
        set("cryptogram", \.cryptogram) { .string($0.rawValue) }
        set("cvn", \.cryptogramVersion) { number($0) }
        set("authentication", \.authentication) { .string($0.rawValue) }
        set("data", \.data) { table in
            .object(
                Dictionary(
                    table.map { ($0.key.description, .string(Hex.encode($0.value))) }, uniquingKeysWith: { $1 }))
        }
        set("others", \.others) { .array($0.map(\.json)) }
        set("armed", \.armed) { .bool($0) }
        set("armsAtTap", \.armsAtTap) { number($0) }
        set("unarmed", \.unarmed) { .string($0.rawValue) }
        set("express", \.express) { .bool($0) }
        set("cdcvm", \.cdcvm) { .bool($0) }
        set("par", \.accountReference) { .string($0) }
        set("vasAnswer", \.vasAnswer) { .string($0.description) }
        set("errorBudget", \.errorBudget) { number($0) }
        set("statusWords", \.statusWords) { $0.json }
        set("statusWordTaps", \.statusWordTaps) { number($0) }
        set("corrupt", \.corrupt) { .array($0.map(\.rawValue).sorted().map { .string($0) }) }
        set("mutate", \.mutate) { .array($0.map(\.json)) }
        return .object(members)
    }
}

extension CardMutation {
    fileprivate var json: PhoneJSON {
        .object([
            "tag": .string(tag.description),
            value == nil ? "remove" : "value": value.map { .string(Hex.encode($0)) } ?? .bool(true),
        ])
    }
}
