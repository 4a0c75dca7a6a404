// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

extension ProcessorProfile {
    /// The back end's side: the answer that carries the blobs.
    /// - Parameter network: the card's network in any case, which decides on encodings at some processors.
    public func encode(_ trio: ProvisioningTrio, network: String? = nil) -> ProfileResponse {
        var inner = JSONValue.object([])
        for (field, blob) in zip(fields(network), trio.blobs) {
            inner.set(field.name.split(separator: "."), to: .string(field.encoding.encode(blob)))
        }
        var outer = inner
        if let nested = response.nested {
            outer = .object([])
            outer.set(nested.split(separator: "."), to: .string(String(decoding: inner.utf8, as: UTF8.self)))
        }
        for constant in response.constants { outer.set(constant.name.split(separator: "."), to: constant.value) }
        return ProfileResponse(headers: [ProfileHeader("content-type", "application/json")], body: outer.utf8)
    }

    /// The back end's side: a refusal. The text must not hold card data.
    public func refusal(status: Int, code: String, text: String) -> ProfileResponse {
        let members: [JSONValue.Member] = [.init("code", .string(code)), .init("message", .string(text))]
        return ProfileResponse(
            status: status, headers: [ProfileHeader("content-type", "application/json")],
            body: JSONValue.object([.init("error", .object(members))]).utf8)
    }

    /// The wallet's side: the blobs of an answer.
    ///
    /// A blob that is not encoded as the profile says is not an error but a fault in the result, so that what the
    /// issuer did can be found out.
    /// - Throws: `invalidResponse` for a blob that is missing; `invalidJSON`.
    public func decodeAnswer(_ body: [UInt8], network: String? = nil) throws(ProvisioningError) -> ReceivedAnswer {
        var json = try JSONValue(reading: body)
        if let nested = response.nested {
            guard let text = json.at(nested)?.text else {
                throw ProvisioningError(.invalidResponse, "The answer lacks \(nested), a string with JSON in it")
            }
            json = try JSONValue(reading: Array(text.utf8))
        }
        var (blobs, faults): ([[UInt8]], [String]) = ([], [])
        for field in fields(network) {
            guard let value = json.at(field.name) else {
                throw ProvisioningError(.invalidResponse, "The answer lacks \(field.name)", hint: Self.nearMiss(json))
            }
            guard let text = value.text else {
                throw ProvisioningError(.invalidResponse, "\(field.name) is \(value.kind), not a string")
            }
            let (bytes, fault) = Self.decode(text, field)
            blobs.append(bytes)
            faults += fault
        }
        let trio = ProvisioningTrio(encryptedPassData: blobs[0], activationData: blobs[1], ephemeralPublicKey: blobs[2])
        return ReceivedAnswer(trio: trio, faults: faults)
    }

    private static func decode(_ text: String, _ field: Field) -> (bytes: [UInt8], faults: [String]) {
        let isHex = text.utf8.count >= 32 && BlobEncoding.hex.decode(text) != nil
        let wantsHex = field.encoding == .hex || field.encoding == .hexUpper || field.encoding == .text
        // Hex digits are Base64 characters too, but so many of them and no other are not there by chance.
        if let bytes = field.encoding.decode(text), wantsHex || !isHex { return (bytes, []) }
        let guess = isHex ? BlobEncoding.hex : BlobEncoding.guesses(text).first
        let fault = "\(field.name) is not written in \(field.encoding.rawValue)"
        return (Array(text.utf8), [fault + (guess.map { "; it looks like \($0.rawValue)" } ?? "")])
    }

    /// The three fields in the order pass data, activation data, key.
    private func fields(_ network: String?) -> [Field] {
        var fields = [response.encryptedPassData, response.activationData, response.ephemeralPublicKey]
        if let encoding = network.flatMap({ response.networks[$0.lowercased()] }) {
            for index in fields.indices { fields[index].encoding = encoding }
        }
        return fields
    }

    /// Names of members that look like the trio's, when the answer seems to be another profile's.
    private static func nearMiss(_ json: JSONValue) -> String? {
        let profiles = builtIn.filter { profile in
            profile.fields(nil).allSatisfy { json.at($0.name)?.text != nil }
        }
        return profiles.first.map { "the answer has the names of the profile \($0.name)" }
    }
}

extension ProvisioningTrio {
    /// The blobs in the order of the fields.
    var blobs: [[UInt8]] { [encryptedPassData, activationData, ephemeralPublicKey] }
}
