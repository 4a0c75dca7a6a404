// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

/// Takes the members of an object one by one, and complains about those that nobody took.
struct ProfileFileReader {
    private let path: String
    private let all: [JSONValue.Member]
    private var known: [String] = []

    init(_ value: JSONValue, at path: String) throws(ProvisioningError) {
        guard let members = value.members else {
            throw ProvisioningError(
                .invalidProfile, "\(path.isEmpty ? "The profile" : path) is \(value.kind), not an object")
        }
        (all, self.path) = (members, path)
    }

    private func full(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private mutating func take(_ name: String) -> JSONValue? {
        known.append(name)
        return all.first { $0.name == name }?.value
    }

    mutating func text(_ name: String) throws(ProvisioningError) -> String? {
        guard let value = take(name) else { return nil }
        guard let text = value.text, !text.isEmpty else {
            throw ProvisioningError(.invalidProfile, "\(full(name)) is not a string with something in it")
        }
        return text
    }

    mutating func requiredText(_ name: String) throws(ProvisioningError) -> String {
        guard let text = try text(name) else { throw ProvisioningError(.invalidProfile, "\(full(name)) is missing") }
        return text
    }

    mutating func texts(_ name: String) throws(ProvisioningError) -> [String]? {
        guard let value = take(name) else { return nil }
        guard let texts = value.elements?.compactMap(\.text), !texts.isEmpty, texts.count == value.elements?.count,
            !texts.contains("")
        else { throw ProvisioningError(.invalidProfile, "\(full(name)) is not an array of strings") }
        return texts
    }

    mutating func choice(_ name: String, of choices: [String]) throws(ProvisioningError) -> String? {
        guard let text = try text(name) else { return nil }
        guard choices.contains(text) else {
            throw ProvisioningError(
                .invalidProfile, "\(full(name)) is not one of its values",
                hint: "write one of \(choices.joined(separator: ", "))")
        }
        return text
    }

    mutating func choice<C: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) throws(ProvisioningError) -> C? {
        try choice(name, of: C.allCases.map(\.rawValue)).flatMap { C(rawValue: $0) }
    }

    mutating func object(_ name: String) throws(ProvisioningError) -> ProfileFileReader? {
        guard let value = take(name) else { return nil }
        return try ProfileFileReader(value, at: full(name))
    }

    mutating func members(_ name: String) throws(ProvisioningError) -> [JSONValue.Member] {
        guard let value = take(name) else { return [] }
        guard let members = value.members else {
            throw ProvisioningError(.invalidProfile, "\(full(name)) is \(value.kind), not an object")
        }
        return members
    }

    /// Members that are sent as they are: strings only.
    mutating func constants(_ name: String) throws(ProvisioningError) -> [JSONValue.Member] {
        let members = try members(name)
        guard members.allSatisfy({ $0.value.text != nil }) else {
            throw ProvisioningError(.invalidProfile, "\(full(name)) has a value that is not a string")
        }
        return members
    }

    /// Everything must have been taken.
    func end() throws(ProvisioningError) {
        guard let unknown = all.first(where: { !known.contains($0.name) }) else { return }
        let shown = String(unknown.name.unicodeScalars.prefix(40).filter { $0.value > 0x20 && $0.value < 0x7F })
        throw ProvisioningError(
            .invalidProfile, "\(full(shown)) is not a member that is known",
            hint: "known are \(known.joined(separator: ", "))")
    }
}
