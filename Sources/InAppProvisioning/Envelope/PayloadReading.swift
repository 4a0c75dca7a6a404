// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// A plaintext that has been opened and taken apart, for those who judge it. Never printed.
public struct OpenedPayload: Hashable, Sendable, Concealed {
    /// The card.
    public let card: CardPayload
    /// The nonce as bytes.
    public let nonce: [UInt8]
    /// Its signature as bytes.
    public let nonceSignature: [UInt8]
    /// Names of members that are not known.
    public let unknownNames: [String]

    /// The card data in a plaintext.
    /// - Throws: `invalidPayload`, with the name of the member but never its value.
    public init(json plaintext: SecretBytes) throws(ProvisioningError) {
        let fields = PayloadFields(plaintext)
        guard let problem = fields.problem else {
            let text = fields.texts
            if let pan = text["primaryAccountNumber"] {
                card = .clear(
                    try CardDetails(
                        primaryAccountNumber: pan, expiration: text["expiration"] ?? "", name: text["name"] ?? ""))
            } else {
                card = .networkEncrypted(
                    NetworkEncryptedCard(
                        encryptedPrimaryAccountNumber: text["encryptedPrimaryAccountNumber"] ?? "",
                        primaryAccountNumberPrefix: text["primaryAccountNumberPrefix"] ?? "",
                        networkName: text["networkName"] ?? "", name: text["name"] ?? "", version: text["version"],
                        productType: text["productType"]))
            }
            guard let nonce = BlobEncoding.hex.decode(text["nonce"] ?? ""),
                let signature = BlobEncoding.hex.decode(text["nonceSignature"] ?? "")
            else { throw ProvisioningError(.invalidPayload, "nonce and nonceSignature must be hex") }
            (self.nonce, nonceSignature, unknownNames) = (nonce, signature, fields.unknownNames)
            return
        }
        throw problem
    }
}

/// The members of a plaintext, before anybody has judged them.
struct PayloadFields {
    static let clearNames = ["primaryAccountNumber", "expiration", "name", "nonce", "nonceSignature"]
    static let encryptedNames = [
        "encryptedPrimaryAccountNumber", "primaryAccountNumberPrefix", "networkName", "name", "nonce",
        "nonceSignature",
    ]
    static let optionalNames = ["version", "productType"]

    /// Why the plaintext is no JSON object, or nil.
    var jsonFailure: ProvisioningError?
    /// The members that are strings.
    var texts: [String: String] = [:]
    /// Names of members with other values, with the kind they have.
    var otherKinds: [(name: String, kind: String)] = []
    /// All names in their order.
    var names: [String] = []

    init(_ plaintext: SecretBytes) {
        var bytes = plaintext.withUnsafeBytes { Array($0) }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        do throws(ProvisioningError) {
            let value = try JSONValue(reading: bytes)
            guard let members = value.members else {
                throw ProvisioningError(.invalidPayload, "The plaintext is \(value.kind), not a JSON object")
            }
            for member in members {
                names.append(member.name)
                if let text = member.value.text {
                    texts[member.name] = text
                } else {
                    otherKinds.append((member.name, member.value.kind))
                }
            }
        } catch {
            jsonFailure = error
        }
    }

    /// Whether the number is encrypted by the network.
    var isNetworkEncrypted: Bool { names.contains("encryptedPrimaryAccountNumber") }
    var requiredNames: [String] { isNetworkEncrypted ? Self.encryptedNames : Self.clearNames }
    var missingNames: [String] { requiredNames.filter { !names.contains($0) } }
    var unknownNames: [String] { names.filter { !(requiredNames + Self.optionalNames).contains($0) } }

    /// The first thing that is wrong with the shape.
    var problem: ProvisioningError? {
        if let jsonFailure {
            return ProvisioningError(
                .invalidPayload, "The plaintext is not a JSON object: \(jsonFailure.reason)",
                offset: jsonFailure.offset)
        }
        if let other = otherKinds.first {
            return ProvisioningError(
                .invalidPayload,
                (requiredNames + Self.optionalNames).contains(other.name)
                    ? "\(other.name) is \(other.kind), but every value is a string"
                    : "A member is \(other.kind), but every value is a string")
        }
        return missingNames.first.map { ProvisioningError(.invalidPayload, "The plaintext lacks \($0)") }
    }
}
