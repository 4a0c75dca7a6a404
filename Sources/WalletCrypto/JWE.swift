// SPDX-License-Identifier: Apache-2.0

/// Sealed messages: JWE in compact form with ECDH-ES+A256KW on P-256 and A256GCM (RFC 7516; RFC 7518, 4.6 and 5.3).
///
/// A message goes to one P-256 key. Sender (`apu`) and receiver (`apv`) enter the key derivation, and the whole header
/// is authenticated: a message whose header was changed does not open.
public enum JWE {
    /// The key management of every message here.
    public static let algorithm = "ECDH-ES+A256KW"
    /// The content encryption of every message here.
    public static let encryption = "A256GCM"
    /// The longest text that is read, in bytes.
    public static let maximumCount = 1 << 20

    /// What the header says besides algorithms and the ephemeral key.
    public struct Parameters: Sendable {
        /// `typ`.
        public var type: String?
        /// `cty`.
        public var contentType: String?
        /// `kid`.
        public var keyID: String?
        /// `apu`: who sends. No bytes leave it out.
        public var partyU: [UInt8] = []
        /// `apv`: who receives. No bytes leave it out.
        public var partyV: [UInt8] = []
        /// Further members, last in the header. Names that JWE defines must not be among them.
        public var more: [JOSEMember] = []

        /// Nothing but the algorithms.
        public init() {}
    }

    /// What must be drawn for each message and never used again. Given only for known answers.
    public struct Secrets: Sendable {
        /// The content encryption key, 32 bytes.
        public let contentKey: SecretBytes
        /// The IV, 12 bytes.
        public let iv: [UInt8]
        /// The ephemeral key.
        public let ephemeral: P256PrivateKey

        /// Fixed values, for tests alone.
        public init(contentKey: SecretBytes, iv: [UInt8], ephemeral: P256PrivateKey) {
            (self.contentKey, self.iv, self.ephemeral) = (contentKey, iv, ephemeral)
        }

        /// Fresh random values.
        public static func fresh() throws(CryptoError) -> Secrets {
            // One draw gives both, from the generator that OpenSSL keeps for private values.
            let drawn = SecretBytes.random(32 + 12)
            return try drawn.withUnsafeBytes { bytes throws(CryptoError) in
                Secrets(
                    contentKey: SecretBytes(copying: bytes.prefix(32)), iv: Array(bytes.suffix(12)),
                    ephemeral: try .generate())
            }
        }
    }

    /// A message that was opened.
    public struct Opened: Sendable {
        /// The protected header, an object.
        public let header: JOSEValue
        /// What was sealed.
        public let plaintext: SecretBytes
    }

    /// Seals `plaintext` to `recipient`.
    /// - Throws: `invalidParameter` for header members that are JWE's own, and for secrets of wrong lengths.
    public static func seal(
        _ plaintext: SecretBytes, to recipient: P256PublicKey, parameters: Parameters = Parameters(),
        secrets: Secrets? = nil
    ) throws(CryptoError) -> String {
        let secrets = if let secrets { secrets } else { try Secrets.fresh() }
        guard secrets.contentKey.count == 32, secrets.iv.count == 12 else {
            throw CryptoError(.invalidParameter, "A JWE here has a content key of 32 bytes and an IV of 12")
        }
        let header = try headerText(parameters, ephemeral: secrets.ephemeral.publicKey)
        var text: [UInt8] = []
        text.reserveCapacity((header.count + plaintext.count) * 4 / 3 + 128)
        Base64URL.append(header, to: &text)
        let key = try wrappingKey(
            try secrets.ephemeral.sharedSecret(with: recipient), partyU: parameters.partyU, partyV: parameters.partyV)
        let wrapped = try AESKeyWrap.wrap(secrets.contentKey, with: key)
        let sealed = try plaintext.withUnsafeBytes { plaintext throws(CryptoError) in
            try AESGCM.seal(plaintext, key: secrets.contentKey, iv: secrets.iv, aad: text)
        }
        for part in [wrapped, secrets.iv, sealed.ciphertext, sealed.tag] {
            text.append(UInt8(ascii: "."))
            Base64URL.append(part, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Opens a message with the recipient's key.
    /// - Throws: `invalidMessage` for what is no such message, `invalidPoint` for an ephemeral key off the curve,
    ///   `authenticationFailed` for another key, another receiver, or a message that was changed.
    public static func open(_ text: some StringProtocol, with key: P256PrivateKey) throws(CryptoError) -> Opened {
        let message = try JWEMessage(text)
        let wrapping = try wrappingKey(
            try key.sharedSecret(with: message.ephemeral), partyU: message.partyU, partyV: message.partyV)
        let contentKey = try AESKeyWrap.unwrap(message.encryptedKey, with: wrapping)
        var plaintext = try AESGCM.open(
            ciphertext: message.ciphertext, tag: message.tag, key: contentKey, iv: message.iv, aad: message.aad)
        defer { wipe(&plaintext) }
        return Opened(header: message.header, plaintext: SecretBytes(copying: plaintext))
    }

    /// The header of a message, read without any key. Not authenticated: it may say anything.
    public static func header(of text: some StringProtocol) throws(CryptoError) -> JOSEValue {
        try JWEMessage(text).header
    }

    private static let ownNames: Set<String> = [
        "alg", "enc", "zip", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "epk", "apu",
        "apv",
    ]

    /// Written straight: a header is short, and the same but for a few texts.
    private static func headerText(
        _ parameters: Parameters, ephemeral: P256PublicKey
    ) throws(CryptoError) -> [UInt8] {
        for (index, member) in parameters.more.enumerated() {
            let others = parameters.more[..<index]
            guard !ownNames.contains(member.name), !others.contains(where: { $0.name == member.name }) else {
                throw CryptoError(.invalidParameter, "A further header member has a name that is taken")
            }
        }
        var text: [UInt8] = []
        text.reserveCapacity(512)
        text += headerStart
        for (name, value) in [
            ("typ", parameters.type), ("cty", parameters.contentType), ("kid", parameters.keyID),
        ] {
            if let value { append(name, value, to: &text) }
        }
        text += epkStart
        ephemeral.uncompressed.withUnsafeBytes { point in
            Base64URL.append(UnsafeRawBufferPointer(rebasing: point[1..<33]), to: &text)
            text += epkMiddle
            Base64URL.append(UnsafeRawBufferPointer(rebasing: point[33...]), to: &text)
        }
        text += epkEnd
        for (name, party) in [("apu", parameters.partyU), ("apv", parameters.partyV)] where !party.isEmpty {
            append(name, Base64URL.encode(party), to: &text)
        }
        for member in parameters.more { member.append(to: &text) }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private static let headerStart = Array(#"{"alg":"\#(algorithm)","enc":"\#(encryption)""#.utf8)
    private static let epkStart = Array(#","epk":{"kty":"EC","crv":"P-256","x":""#.utf8)
    private static let epkMiddle = Array(#"","y":""#.utf8)
    private static let epkEnd = Array(#""}"#.utf8)

    private static func append(_ name: String, _ value: String, to text: inout [UInt8]) {
        JOSEMember(name, .string(value)).append(to: &text)
    }

    private static func wrappingKey(
        _ secret: SecretBytes, partyU: [UInt8], partyV: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        try derive(secret, algorithm: algorithm, partyU: partyU, partyV: partyV, count: 32)
    }

    /// Concat KDF over algorithm, parties and key length, each with its own length (RFC 7518, 4.6.2).
    static func derive(
        _ secret: SecretBytes, algorithm: String, partyU: [UInt8], partyV: [UInt8], count: Int
    ) throws(CryptoError) -> SecretBytes {
        var info: [UInt8] = []
        info.reserveCapacity(64 + partyU.count + partyV.count)
        func append(_ number: Int) {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { info += $0 }
        }
        append(algorithm.utf8.count)
        info += algorithm.utf8
        for party in [partyU, partyV] {
            append(party.count)
            info += party
        }
        append(count * 8)
        return try ConcatKDF.sha256(sharedSecret: secret, otherInfo: info, count: count)
    }
}

extension P256PublicKey {
    /// `kty`, `crv`, `x`, `y` (RFC 7518, 6.2.1).
    var jwkMembers: [JOSEMember] {
        [
            JOSEMember("kty", .string("EC")), JOSEMember("crv", .string("P-256")),
            JOSEMember("x", .string(Base64URL.encode(x))), JOSEMember("y", .string(Base64URL.encode(y))),
        ]
    }

    /// The key's thumbprint with SHA-256, as Base64URL text (RFC 7638, 3).
    public var thumbprint: String {
        let text = #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"}"#
        return Base64URL.encode(Digest.sha256(Array(text.utf8)))
    }
}
