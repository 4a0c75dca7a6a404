// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// A secret of Standard Webhooks that signs: `whsec_…` (HMAC-SHA256) or `whsk_…` (ed25519). Never printed.
///
/// Source: github.com/standard-webhooks/standard-webhooks, spec, "Signature scheme".
public struct WebhookSecret: Sendable {
    enum Kind: Sendable {
        case symmetric(SecretBytes)
        case asymmetric(Ed25519PrivateKey)
    }

    /// 192 to 512 bits, as the specification asks of symmetric secrets.
    static let symmetricCounts = 24...64

    let kind: Kind

    /// A secret from its text.
    ///
    /// - Throws: `CryptoError` with `invalidKey`; never with a part of the secret.
    public init(_ text: some StringProtocol) throws(CryptoError) {
        if let bytes = try Self.bytes(of: text, after: "whsec_") {
            guard Self.symmetricCounts.contains(bytes.count) else {
                throw CryptoError(
                    .invalidKey, "A whsec_ secret has 24 to 64 bytes, not \(bytes.count)",
                    hint: "make one: echo whsec_$(openssl rand -base64 32)")
            }
            kind = .symmetric(SecretBytes(copying: bytes))
        } else if let bytes = try Self.bytes(of: text, after: "whsk_") {
            kind = .asymmetric(try Self.privateKey(bytes))
        } else {
            throw Self.unknown(text)
        }
    }

    /// What receivers verify with.
    public var verification: WebhookVerificationKey {
        switch kind {
        case .symmetric(let secret): WebhookVerificationKey(.symmetric(secret))
        case .asymmetric(let key): WebhookVerificationKey(.asymmetric(key.publicKey))
        }
    }

    /// The `v1,…` or `v1a,…` signature of a text.
    func signature(of text: [UInt8]) throws(CryptoError) -> String {
        switch kind {
        case .symmetric(let secret): "v1," + Base64.encode(try HMACSHA256.authenticate(text, key: secret))
        case .asymmetric(let key): "v1a," + Base64.encode(try key.sign(text))
        }
    }

    /// Every secret in a file, one a line; empty lines and lines that begin with `#` are passed over.
    public static func all(in file: [UInt8]) throws(CryptoError) -> [WebhookSecret] {
        let secrets = try lines(of: file).map { line throws(CryptoError) in try WebhookSecret(line) }
        guard !secrets.isEmpty else { throw CryptoError(.invalidKey, "The file holds no secret") }
        return secrets
    }

    static func lines(of file: [UInt8]) -> [Substring] {
        String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.drop(while: \.isWhitespace) }
            .map { line in line.lastIndex { !$0.isWhitespace }.map { line[...$0] } ?? "" }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    /// What stands behind a prefix; nil for a text with another one.
    static func bytes(of text: some StringProtocol, after prefix: String) throws(CryptoError) -> [UInt8]? {
        guard text.hasPrefix(prefix) else { return nil }
        guard let bytes = Base64.decode(text.dropFirst(prefix.count)) else {
            throw CryptoError(
                .invalidKey, "What follows \(prefix) is not Base64",
                hint: "make a secret: echo whsec_$(openssl rand -base64 32)")
        }
        return bytes
    }

    static func unknown(_ text: some StringProtocol) -> CryptoError {
        CryptoError(
            .invalidKey, "It begins with none of \(["whsec_", "whsk_", "whpk_"].joined(separator: ", "))",
            hint: "one secret a line, such as whsec_ and 24 to 64 bytes in Base64")
    }

    /// The seed, or the seed and the public key after it, as many tools write ed25519 keys.
    private static func privateKey(_ bytes: [UInt8]) throws(CryptoError) -> Ed25519PrivateKey {
        guard bytes.count == 32 || bytes.count == 64 else {
            throw CryptoError(.invalidKey, "A whsk_ key has 32 or 64 bytes, not \(bytes.count)")
        }
        let key = try Ed25519PrivateKey(seed: SecretBytes(copying: bytes.prefix(32)))
        guard bytes.count == 32 || key.publicKey.bytes == Array(bytes.suffix(32)) else {
            throw CryptoError(.invalidKey, "The public half of the whsk_ key does not belong to its private half")
        }
        return key
    }
}

extension WebhookSecret: CustomStringConvertible, CustomReflectable {
    /// What it is, and nothing of it.
    public var description: String { "<webhook secret>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a receiver verifies signatures with: `whsec_…`, or `whpk_…` for the public half of a `whsk_…`.
public struct WebhookVerificationKey: Sendable, CustomStringConvertible, CustomReflectable {
    enum Kind: Sendable {
        case symmetric(SecretBytes)
        case asymmetric(Ed25519PublicKey)
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    /// A key from its text; a `whsk_…` counts as its public half.
    public init(_ text: some StringProtocol) throws(CryptoError) {
        if let bytes = try WebhookSecret.bytes(of: text, after: "whpk_") {
            kind = .asymmetric(try Ed25519PublicKey(bytes))
        } else {
            self = try WebhookSecret(text).verification
        }
    }

    /// Every key in a file, as ``WebhookSecret/all(in:)``.
    public static func all(in file: [UInt8]) throws(CryptoError) -> [WebhookVerificationKey] {
        let keys = try WebhookSecret.lines(of: file).map { line throws(CryptoError) in
            try WebhookVerificationKey(line)
        }
        guard !keys.isEmpty else { throw CryptoError(.invalidKey, "The file holds no secret") }
        return keys
    }

    /// Whether one of the space-separated signatures is of this key.
    func accepts(_ signatures: String, of text: [UInt8]) -> Bool {
        signatures.split(separator: " ").prefix(32).contains { entry in
            let parts = entry.split(separator: ",", maxSplits: 1)
            guard parts.count == 2, let signature = Base64.decode(parts[1]) else { return false }
            switch (kind, parts[0]) {
            case (.symmetric(let secret), "v1"): return HMACSHA256.isValid(signature, for: text, key: secret)
            case (.asymmetric(let key), "v1a"): return key.isValid(signature, for: text)
            default: return false
            }
        }
    }

    /// What it is, and nothing of it.
    public var description: String { "<webhook key>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
