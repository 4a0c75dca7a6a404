// SPDX-License-Identifier: Apache-2.0

import ISO7816
public import WalletCrypto

/// A card that the reference issuer knows. Never printed.
public struct IssuerCard: Hashable, Sendable, Concealed {
    /// What requests call it by; never the card number.
    public let id: String
    /// Number, expiration, name.
    public let details: CardDetails
    /// The network, such as `visa`; some processors encode by it.
    public let network: String?
    /// The network's one-time password; nil lets the issuer make an opaque one for each request.
    public let activationData: [UInt8]?

    /// A card from its parts.
    ///
    /// - Throws: `invalidCard` for a reference that is empty or looks like a card number: references are logged.
    public init(
        id: String, details: CardDetails, network: String? = nil, activationData: [UInt8]? = nil
    ) throws(ProvisioningError) {
        guard !id.isEmpty, id.utf8.count <= 128, id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ProvisioningError(.invalidCard, "A card's id must have 1 to 128 printable ASCII characters")
        }
        guard !CardNumber.isContained(in: id) else {
            throw ProvisioningError(
                .invalidCard, "A card's id looks like a card number, and ids are logged", hint: "give it another id")
        }
        (self.id, self.details, self.network, self.activationData) = (id, details, network, activationData)
    }
}

/// The issuer's cards, from a file.
///
/// ```json
/// {"cards": [{"id": "card-1", "primaryAccountNumber": "…", "expiration": "12/30", "name": "A CARDHOLDER",
///             "network": "visa", "activationData": "Base64, may be left out"}]}
/// ```
public struct IssuerCardFile: Sendable, Concealed {
    /// By their references.
    public let cards: [String: IssuerCard]

    /// The cards of a list; references are unique.
    public init(_ list: [IssuerCard]) throws(ProvisioningError) {
        var cards: [String: IssuerCard] = [:]
        for card in list where cards.updateValue(card, forKey: card.id) != nil {
            throw ProvisioningError(.invalidCard, "The card id \(card.id) is there twice")
        }
        self.cards = cards
    }

    /// Reads the document.
    ///
    /// - Throws: `invalidJSON`, or `invalidCard` with the number of the card in the list, never its values.
    public init(json bytes: [UInt8]) throws(ProvisioningError) {
        let document = try JSONValue(reading: bytes)
        guard let elements = document["cards"]?.elements else {
            throw ProvisioningError(.invalidCard, "The file has no list \"cards\"")
        }
        var list: [IssuerCard] = []
        for (index, element) in elements.enumerated() {
            do { list.append(try Self.card(element)) } catch {
                throw ProvisioningError(.invalidCard, "cards[\(index)]: \(error.reason)", hint: error.hint)
            }
        }
        try self.init(list)
    }

    private static let names = ["id", "primaryAccountNumber", "expiration", "name", "network", "activationData"]

    private static func card(_ value: JSONValue) throws(ProvisioningError) -> IssuerCard {
        guard let members = value.members else {
            throw ProvisioningError(.invalidCard, "It is \(value.kind), not an object")
        }
        if let unknown = members.first(where: { !names.contains($0.name) }) {
            let known = names.joined(separator: ", ")
            throw ProvisioningError(
                .invalidCard, "The key `\(unknown.name)` is not known", hint: "the keys are \(known)")
        }
        func text(_ name: String) throws(ProvisioningError) -> String {
            guard let text = value[name]?.text else {
                throw ProvisioningError(.invalidCard, "`\(name)` must be a string")
            }
            return text
        }
        let details = try CardDetails(
            primaryAccountNumber: text("primaryAccountNumber"), expiration: text("expiration"), name: text("name"))
        var activation: [UInt8]?
        if value["activationData"] != nil {
            activation = BlobEncoding.base64.decode(try text("activationData"))
            guard activation?.isEmpty == false else {
                throw ProvisioningError(.invalidCard, "`activationData` must be Base64 of at least a byte")
            }
        }
        let network = value["network"] == nil ? nil : try text("network")
        return try IssuerCard(id: try text("id"), details: details, network: network, activationData: activation)
    }
}
