// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import ISO7816
internal import InAppProvisioning
internal import WalletCrypto

extension PayloadView {
    /// Card data of an envelope as the tool shows them: never more than is asked for.
    struct Card {
        private let members: [JSONValue.Member]
        /// Why Wallet would not take it, if it would not.
        let problem: String?

        /// - Throws: `ProvisioningError` when the bytes are no JSON object; no byte of them stands in the error.
        init(_ bytes: [UInt8]) throws {
            let value = try JSONValue(reading: bytes)
            guard let members = value.members else {
                throw ProvisioningError(.invalidPayload, "The payload is \(value.kind), not a JSON object")
            }
            self.members = members
            do {
                _ = try OpenedPayload(json: SecretBytes(copying: bytes))
                problem = nil
            } catch {
                problem = error.description
            }
        }

        /// The card number, if there is one in the clear.
        var accountNumber: String? { members.first { $0.name == "primaryAccountNumber" }?.value.text }

        /// All of it, as it was sealed.
        var whole: JSON { JSON(.object(members)) }

        /// Members that tell nothing about a cardholder and open nothing.
        private static let open: Set = ["expiration", "nonce", "networkName", "version", "productType"]

        /// The members in their order; without `isClear` only what may be seen.
        func json(isClear: Bool) -> JSON {
            .object(members.map { JSON.Member(name: Self.name($0.name, isClear), value: Self.value($0, isClear)) })
        }

        private static let known = open.union([
            "primaryAccountNumber", "name", "nonceSignature", "encryptedPrimaryAccountNumber",
            "primaryAccountNumberPrefix",
        ])

        /// A name that nobody knows could be data.
        private static func name(_ name: String, _ isClear: Bool) -> String {
            isClear || known.contains(name) ? name : "(unknown, \(name.count) characters)"
        }

        private static func value(_ member: JSONValue.Member, _ isClear: Bool) -> JSON {
            guard let text = member.value.text else { return .string("(\(member.value.kind))") }
            switch member.name {
            case _ where isClear: return .string(text)
            case "primaryAccountNumber": return .string(masked(text))
            case "primaryAccountNumberPrefix": return .string(String(text.prefix(6)))
            case _ where open.contains(member.name) && text.utf8.count <= 32: return .string(text)
            default: return .string(String(repeating: "*", count: text.count))
            }
        }

        /// The first six and last four digits of what is a number; nothing of what is not.
        private static func masked(_ text: String) -> String {
            guard (12...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return String(repeating: "*", count: text.count)
            }
            return text.prefix(6) + String(repeating: "*", count: text.utf8.count - 10) + text.suffix(4)
        }

        /// The same for people.
        func lines(_ shown: JSON) -> [String] {
            guard case .object(let members) = shown else { return [] }
            return members.map { member in
                guard case .string(let text) = member.value else { return "\(member.name): \(member.value.compact)" }
                return "\(Printable.text(member.name)): \(Printable.text(text))"
            }
        }
    }
}
