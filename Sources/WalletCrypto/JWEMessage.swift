// SPDX-License-Identifier: Apache-2.0

/// The five parts of a compact JWE, checked as far as they can be without a key (RFC 7516, 5.2).
struct JWEMessage {
    let header: JOSEValue
    /// The first part as it came: what the tag covers.
    let aad: [UInt8]
    let ephemeral: P256PublicKey
    let partyU: [UInt8]
    let partyV: [UInt8]
    let encryptedKey: [UInt8]
    let iv: [UInt8]
    let ciphertext: [UInt8]
    let tag: [UInt8]

    init(_ text: some StringProtocol) throws(CryptoError) {
        guard text.utf8.count <= JWE.maximumCount else { throw Self.invalid("it is longer than is read here") }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 5 else { throw Self.invalid("it has not five parts") }
        var bytes: [[UInt8]] = []
        for part in parts {
            guard let decoded = Base64URL.decode(String(decoding: part, as: UTF8.self)) else {
                throw Self.invalid("a part is not Base64URL")
            }
            bytes.append(decoded)
        }
        guard let header = JOSEReader.read(bytes[0]), case .object = header else {
            throw Self.invalid("its header is not a JSON object")
        }
        try Self.checkAlgorithms(header)
        self.header = header
        (aad, encryptedKey, iv) = (Array(parts[0]), bytes[1], bytes[2])
        (ciphertext, tag) = (bytes[3], bytes[4])
        partyU = try Self.party(header, "apu")
        partyV = try Self.party(header, "apv")
        ephemeral = try Self.ephemeral(header)
        guard encryptedKey.count == 40, iv.count == 12, tag.count == AESGCM.tagCount else {
            throw Self.invalid("its key, IV or tag has another length")
        }
    }

    private static func invalid(_ why: String) -> CryptoError { CryptoError(.invalidMessage, "This is no JWE: \(why)") }

    private static func checkAlgorithms(_ header: JOSEValue) throws(CryptoError) {
        guard header["alg"]?.string == JWE.algorithm, header["enc"]?.string == JWE.encryption else {
            throw invalid("its algorithms are not \(JWE.algorithm) and \(JWE.encryption)")
        }
        // Extensions that must be understood are not (RFC 7516, 4.1.13), and nothing is inflated.
        guard header["crit"] == nil, header["zip"] == nil else { throw invalid("it has crit or zip") }
    }

    private static func party(_ header: JOSEValue, _ name: String) throws(CryptoError) -> [UInt8] {
        guard let value = header[name] else { return [] }
        guard let party = value.string.flatMap({ Base64URL.decode($0) }) else {
            throw invalid("\(name) is not Base64URL")
        }
        return party
    }

    private static func ephemeral(_ header: JOSEValue) throws(CryptoError) -> P256PublicKey {
        guard let key = header["epk"], key["kty"]?.string == "EC", key["crv"]?.string == "P-256", key["d"] == nil,
            let x = key["x"]?.string.flatMap({ Base64URL.decode($0) }), x.count == 32,
            let y = key["y"]?.string.flatMap({ Base64URL.decode($0) }), y.count == 32
        else { throw invalid("epk is not a public key on P-256") }
        return try P256PublicKey(x963: [0x04] + x + y)
    }
}
