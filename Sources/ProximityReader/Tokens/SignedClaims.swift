// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import WalletCrypto

/// The tokens of this module: JWTs (RFC 7519) in compact form, signed with ES256 (RFC 7518, 3.4), each kind with a
/// `typ` of its own so that none passes for another (RFC 8725, 3.11).
struct SignedClaims: Sendable {
    /// Why a token is not what it should be.
    struct Problem: Error, Hashable, Sendable {
        let reason: String
    }

    private struct Header: Codable {
        var alg: String
        var typ: String?
        var crit: [String]?
    }

    /// The header's `typ`.
    let type: String
    /// Whether a token with another `typ`, or none, passes.
    var takesAnyType = false

    static let reader = SignedClaims(type: "JWT", takesAnyType: true)
    static let deletion = SignedClaims(type: "countertop-deletion+jwt")
    static let pin = SignedClaims(type: "countertop-pin+jwt")

    func sign(_ claims: some Encodable, with key: P256PrivateKey) throws(CryptoError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let header = try? encoder.encode(Header(alg: "ES256", typ: type)),
            let body = try? encoder.encode(claims)
        else { throw CryptoError(.internalFailure, "the token cannot be encoded") }
        let input = Base64URL.encode(header) + "." + Base64URL.encode(body)
        return input + "." + Base64URL.encode(try key.signES256(Array(input.utf8)))
    }

    /// The claims of a token whose signature verifies. Its time is the caller's to check.
    func verify<Claims: Decodable>(
        _ text: String, as claims: Claims.Type, with key: P256PublicKey
    ) throws(Problem) -> Claims {
        // A provider's tokens are some hundred characters long; nothing sensible is longer than this.
        guard text.utf8.count <= 16_384 else { throw Problem(reason: "it is longer than 16384 characters") }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw Problem(reason: "it is no JWT: \(parts.count) part(s) between dots instead of 3")
        }
        let header = try Self.decode(Header.self, parts[0], "header")
        // The algorithm is ours to choose, never the token's (RFC 8725, 3.1); this refuses "none" and "HS256" alike.
        guard header.alg == "ES256" else { throw Problem(reason: "its algorithm is not ES256") }
        guard header.crit == nil else { throw Problem(reason: "it has critical header extensions") }
        guard takesAnyType || header.typ == type else { throw Problem(reason: "its type is not \(type)") }
        guard let signature = Base64URL.decode(parts[2]),
            key.isValidES256(signature, for: Array("\(parts[0]).\(parts[1])".utf8))
        else { throw Problem(reason: "its signature does not verify with the counter's key") }
        return try Self.decode(claims, parts[1], "claims")
    }

    private static func decode<Part: Decodable>(
        _ type: Part.Type, _ text: Substring, _ name: String
    ) throws(Problem) -> Part {
        guard let bytes = Base64URL.decode(text), let part = try? JSONDecoder().decode(type, from: Data(bytes)) else {
            throw Problem(reason: "its \(name) cannot be read")
        }
        return part
    }
}
