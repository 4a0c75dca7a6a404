// SPDX-License-Identifier: Apache-2.0

extension P256PrivateKey {
    /// A key in whatever form its owner has it: PEM or DER of SEC1 or PKCS#8, hex or Base64 of these or of the scalar,
    /// or the 32 bytes of the scalar.
    ///
    /// A byte order mark, CRLF and text before the PEM block do not matter. Nothing is ever asked on a terminal:
    /// a key with a passphrase is refused. What is not such a key is named, as far as it can be recognised.
    /// - Throws: `invalidKey` or `encryptedKey`; the texts hold nothing of the input.
    public init(reading bytes: [UInt8]) throws(CryptoError) {
        if bytes.count == P256Curve.coordinateCount {
            try self.init(scalar: bytes)
        } else {
            var text = PrivateKeyReader.plainText(bytes)
            // The same bytes are the caller's still; others are a copy of them.
            defer { if text.count != bytes.count { wipe(&text) } }
            try self.init(text: text)
        }
    }

    private init(text bytes: [UInt8]) throws(CryptoError) {
        guard !bytes.isEmpty else { throw CryptoError(.invalidKey, "There is no key: the input is empty") }
        var blocks = TextForms.pemBlocks(bytes)
        defer { for index in blocks.indices { wipe(&blocks[index].der) } }
        if !blocks.isEmpty {
            self = try PrivateKeyReader.key(of: blocks)
        } else if bytes.first == DERTag.sequence, let key = try PrivateKeyReader.fromDER(bytes) {
            self = key
        } else if var decoded = TextForms.hex(bytes) ?? TextForms.base64(bytes) {
            defer { wipe(&decoded) }
            if decoded.count == P256Curve.coordinateCount {
                try self.init(scalar: decoded)
            } else if let key = try PrivateKeyReader.fromDER(decoded) {
                self = key
            } else {
                throw PrivateKeyReader.unrecognised
            }
        } else {
            throw PrivateKeyReader.unrecognised
        }
    }
}

/// Takes private keys out of the forms they come in.
enum PrivateKeyReader {
    static let unrecognised = CryptoError(
        .invalidKey, "This is not a P-256 private key in any known form",
        hint: "PEM, DER, hex, Base64 and the 32 bytes of the scalar are taken")

    /// Without a byte order mark; UTF-16 with a mark (as some Windows tools write) as ASCII.
    static func plainText(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return bytes.dropFirst(2).filter { $0 != 0 }
        }
        return bytes
    }

    /// The key of the first private-key block; blocks of parameters or certificates beside it are passed over.
    static func key(of blocks: [TextForms.PEMBlock]) throws(CryptoError) -> P256PrivateKey {
        guard let block = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
            throw named(blocks.last?.label ?? "")
        }
        if block.isEncrypted || block.label == "ENCRYPTED PRIVATE KEY" { throw encrypted }
        switch block.label {
        case "PRIVATE KEY", "EC PRIVATE KEY":
            guard let key = try fromDER(block.der) else {
                throw CryptoError(.invalidKey, "The \(block.label) block is damaged or cut off")
            }
            return key
        case "OPENSSH PRIVATE KEY":
            throw CryptoError(
                .invalidKey, "This is an OpenSSH private key file",
                hint: "convert a copy: ssh-keygen -p -m PKCS8 -f FILE")
        default:
            throw KeyAlgorithm.wrongKind(String(block.label.dropLast(" PRIVATE KEY".count)))
        }
    }

    private static let encrypted = CryptoError(
        .encryptedKey, "This private key is protected by a passphrase",
        hint: "decrypt it first: openssl pkey -in FILE -out PLAIN.pem, then chmod 600 PLAIN.pem")

    private static func named(_ label: String) -> CryptoError {
        switch label {
        case "PUBLIC KEY": publicKey
        case _ where X509Certificate.pemLabels.contains(label): certificate
        case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST":
            CryptoError(.invalidKey, "This is a certificate request where a private key is wanted")
        case "EC PARAMETERS": CryptoError(.invalidKey, "This names a curve but holds no private key")
        default: unrecognised
        }
    }

    private static let publicKey = CryptoError(.invalidKey, "This is a public key where a private key is wanted")
    private static let certificate = CryptoError(.invalidKey, "This is a certificate where a private key is wanted")

    /// The key in DER, or nil for something that is no key of any known kind.
    static func fromDER(_ der: [UInt8]) throws(CryptoError) -> P256PrivateKey? {
        guard let body = DERReader.only(DERTag.sequence, in: der[...]) else { return nil }
        var reader = DERReader(body)
        guard let version = reader.read(DERTag.integer) else { return try refuseOther(reader, der) }
        switch reader.nextTag {
        case DERTag.octetString:
            guard version.elementsEqual([1]) else { return nil }
            return try fromSEC1(reader, curveIsKnown: false)
        case DERTag.sequence:
            // PKCS#8 has version 0, or 1 with a public key (RFC 5958, 2).
            guard let algorithm = reader.read(DERTag.sequence), let key = reader.read(DERTag.octetString) else {
                return nil
            }
            try KeyAlgorithm.requireP256(algorithm)
            guard let body = DERReader.only(DERTag.sequence, in: key) else { return nil }
            var inner = DERReader(body)
            guard let version = inner.read(DERTag.integer), version.elementsEqual([1]) else { return nil }
            return try fromSEC1(inner, curveIsKnown: true)
        case DERTag.integer:
            throw KeyAlgorithm.wrongKind("RSA")
        default:
            return nil
        }
    }

    /// ECPrivateKey after its version (RFC 5915, 3). A lone one without a curve is taken for P-256 if it has 32 bytes.
    private static func fromSEC1(_ fields: DERReader, curveIsKnown: Bool) throws(CryptoError) -> P256PrivateKey? {
        var fields = fields
        guard let octets = fields.read(DERTag.octetString) else { return nil }
        if let parameters = fields.read(DERTag.context0) {
            try KeyAlgorithm.requireCurve(DERReader(parameters))
        }
        let point = fields.read(DERTag.context1).map { DERReader.only(DERTag.bitString, in: $0) }
        guard fields.isAtEnd else { return nil }
        // Some writers drop leading zeros.
        var scalar = [UInt8](repeating: 0, count: max(0, P256Curve.coordinateCount - octets.count))
        scalar.reserveCapacity(P256Curve.coordinateCount + octets.count)
        scalar += octets
        defer { wipe(&scalar) }
        let key = try P256PrivateKey(scalar: scalar)
        if let point {
            guard let point, point.first == 0,
                let stated = try? P256PublicKey(x963: point.dropFirst()), stated == key.publicKey
            else { throw CryptoError(.invalidKey, "The public half in this key does not belong to its private half") }
        }
        return key
    }

    /// Names DER that begins like a public key, a certificate or an encrypted PKCS#8; else nil.
    private static func refuseOther(_ fields: DERReader, _ der: [UInt8]) throws(CryptoError) -> P256PrivateKey? {
        var fields = fields
        guard fields.read(DERTag.sequence) != nil else { return nil }
        switch fields.nextTag {
        case DERTag.bitString: throw publicKey
        case DERTag.octetString: throw encrypted
        case DERTag.sequence where (try? X509Certificate(der: der)) != nil: throw certificate
        default: return nil
        }
    }
}
