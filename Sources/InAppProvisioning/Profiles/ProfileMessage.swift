// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// A request as it goes over HTTP. Never printed.
public struct ProfileRequest: Hashable, Sendable, Concealed {
    /// The method.
    public var method: String
    /// Path and query.
    public var target: String
    /// Header fields besides those that HTTP itself needs, in their order; names in any case.
    public var headers: [ProfileHeader]
    /// The body.
    public var body: [UInt8]

    /// A request from its parts.
    public init(method: String, target: String, headers: [ProfileHeader] = [], body: [UInt8] = []) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// The path without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }
    /// The query without its question mark.
    public var query: String { String(target.drop { $0 != "?" }.dropFirst()) }
}

/// An answer as it goes over HTTP. Never printed.
public struct ProfileResponse: Hashable, Sendable, Concealed {
    /// The status code.
    public var status: Int
    /// Header fields besides those that HTTP itself needs.
    public var headers: [ProfileHeader]
    /// The body.
    public var body: [UInt8]

    /// An answer from its parts.
    public init(status: Int = 200, headers: [ProfileHeader] = [], body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// A header field.
public struct ProfileHeader: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its value.
    public var value: String

    /// A field.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// What a back end understood of a request. Never printed.
public struct IncomingRequest: Hashable, Sendable, Concealed {
    /// The card's reference, if the request has one.
    public var card: String?
    /// Certificates, nonce and signature as bytes.
    public var request: WalletRequest
}

/// What a wallet understood of an answer. Never printed.
public struct ReceivedAnswer: Hashable, Sendable, Concealed {
    /// The blobs. One that is not encoded as its profile says is here as the bytes of its text.
    public var trio: ProvisioningTrio
    /// What is not encoded as its profile says, in words.
    public var faults: [String]
}
