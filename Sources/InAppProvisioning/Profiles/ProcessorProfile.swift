// SPDX-License-Identifier: Apache-2.0

package import WalletCrypto

/// How one processor's interface carries a wallet's request and the three blobs: a row of a table.
///
/// The same row encodes and decodes on both sides. Rows of the table are ``builtIn``; one more is described by a file
/// (``init(file:)``).
public struct ProcessorProfile: Hashable, Sendable {
    /// The name by which it is chosen: lower-case letters, digits and hyphens.
    public var name: String
    /// The name for people.
    public var title: String
    /// Where its facts come from, and what of it is assumed.
    public var source: String
    /// The HTTP method.
    public var method: String
    /// The path, with `{card}` where the card's reference goes; a query may follow.
    public var path: String

    /// How the request's fields travel.
    package enum Body: String, Hashable, Sendable, CaseIterable {
        /// A JSON object; field names are paths with dots.
        case json
        /// `application/x-www-form-urlencoded`.
        case form
        /// The query of the URL.
        case query
    }

    /// How the certificates travel.
    package enum CertificateForm: String, Hashable, Sendable, CaseIterable {
        /// All of them, as an array or a repeated field.
        case array
        /// One field for each.
        case fields
        /// The leaf alone.
        case leaf
    }

    /// The certificates' fields.
    package struct CertificateField: Hashable, Sendable {
        package var names = ["certificates"]
        package var form = CertificateForm.array
        package var encoding = BlobEncoding.base64
    }

    /// A field by its name.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var encoding = BlobEncoding.base64
    }

    /// Where the card's reference stands, unless it is in the path.
    package enum CardField: Hashable, Sendable {
        case body(String)
        case header(String)
    }

    /// A field that says what kind of device asks.
    package struct DeviceField: Hashable, Sendable {
        package var name: String
        package var phone: String
        package var watch: String
    }

    /// The answer.
    package struct Response: Hashable, Sendable {
        /// The member that is a string with JSON in it, which holds the blobs.
        package var nested: String?
        package var encryptedPassData = Field(name: "encryptedPassData")
        package var activationData = Field(name: "activationData")
        package var ephemeralPublicKey = Field(name: "ephemeralPublicKey")
        /// Encodings of all three blobs for cards of some networks, by name in lower case.
        package var networks: [String: BlobEncoding] = [:]
        package var constants: [JSONValue.Member] = []
    }

    package var body = Body.json
    package var headers: [JSONValue.Member] = []
    package var certificates = CertificateField()
    package var nonce = Field(name: "nonce")
    package var nonceSignature = Field(name: "nonceSignature")
    package var card: CardField?
    package var device: DeviceField?
    package var constants: [JSONValue.Member] = []
    package var response = Response()

    package init(name: String, title: String, source: String, method: String = "POST", path: String) {
        (self.name, self.title, self.source) = (name, title, source)
        (self.method, self.path) = (method, path)
    }

    /// A row of the table by name, in any case.
    public static func named(_ name: String) -> ProcessorProfile? {
        let wanted = name.lowercased()
        return builtIn.first { $0.name == wanted }
    }

    /// Whether a request to this path carries the nonce in its URL, where logs keep it.
    public var putsNonceInURL: Bool { body == .query }
}

/// Which kind of device a card is added to.
public enum ProvisioningDevice: String, Hashable, Sendable, CaseIterable {
    /// The phone itself.
    case phone
    /// The paired watch.
    case watch
}
