// SPDX-License-Identifier: Apache-2.0

import COpenSSL

extension P256PublicKey {
    /// `SEQUENCE { SEQUENCE { id-ecPublicKey, secp256r1 }, BIT STRING {` with a point of 33 or 65 bytes (RFC 5480, 2).
    private static func infoHeader(pointCount: Int) -> [UInt8] {
        [0x30, UInt8(truncatingIfNeeded: 24 + pointCount)] + algorithmDER
            + [DERTag.bitString, UInt8(truncatingIfNeeded: 1 + pointCount), 0x00]
    }

    /// `SEQUENCE { id-ecPublicKey, secp256r1 }` (RFC 5480, 2.1.1).
    static let algorithmDER: [UInt8] =
        [DERTag.sequence, 0x13, DERTag.objectIdentifier, 0x07] + OID.ecPublicKey
        + [DERTag.objectIdentifier, 0x08] + OID.p256

    /// The key as a SubjectPublicKeyInfo in DER: 59 bytes compressed, 91 bytes uncompressed.
    ///
    /// The Base64 text of the compressed form is what `encryptionPublicKey` of pass.json holds (Apple documentation).
    public func subjectPublicKeyInfo(compressed: Bool = true) -> [UInt8] {
        let point = compressed ? self.compressed : uncompressed
        return Self.infoHeader(pointCount: point.count) + point
    }

    /// The key as a `PUBLIC KEY` block with the uncompressed point, as OpenSSL writes it.
    public func pem() -> String {
        String(decoding: TextForms.pem(label: "PUBLIC KEY", subjectPublicKeyInfo(compressed: false)), as: UTF8.self)
    }

    /// A key from a SubjectPublicKeyInfo in DER, its point compressed or not.
    /// - Throws: `invalidKey` for another kind of key, which is named; `invalidPoint`.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(CryptoError) {
        guard let info = DERReader.only(DERTag.sequence, in: der[...]) else {
            throw CryptoError(.invalidKey, "This is not a SubjectPublicKeyInfo in DER")
        }
        var reader = DERReader(info)
        guard let algorithm = reader.read(DERTag.sequence), let bits = reader.read(DERTag.bitString), reader.isAtEnd
        else { throw CryptoError(.invalidKey, "This is not a SubjectPublicKeyInfo in DER") }
        try KeyAlgorithm.requireP256(algorithm)
        guard bits.first == 0 else {
            throw CryptoError(.invalidKey, "The point of this public key is not in whole bytes")
        }
        try self.init(x963: bits.dropFirst())
    }

    /// A key from PEM: a `PUBLIC KEY` block, or the public half of a certificate.
    /// - Throws: `invalidKey`, `invalidPoint` or `invalidCertificate`. A private key is refused and named as such.
    public init(pem text: String) throws(CryptoError) {
        let blocks = TextForms.pemBlocks(Array(text.utf8))
        if let block = blocks.first(where: { $0.label == "PUBLIC KEY" }) {
            try self.init(subjectPublicKeyInfo: block.der)
        } else if let block = blocks.first(where: { X509Certificate.pemLabels.contains($0.label) }) {
            guard let key = try X509Certificate(der: block.der).publicKey else {
                throw CryptoError(.invalidKey, "The key of this certificate is not a P-256 key")
            }
            self = key
        } else if blocks.contains(where: { $0.label.hasSuffix("PRIVATE KEY") }) {
            throw CryptoError(.invalidKey, "This is a private key where a public key is wanted")
        } else {
            throw CryptoError(.invalidKey, "There is no PUBLIC KEY block in this text")
        }
    }
}

extension P256PrivateKey {
    /// ECPrivateKey (RFC 5915, 3): version 1, the scalar, optionally the curve, the public key.
    private func ecPrivateKey(withCurve: Bool) -> [UInt8] {
        let head: [UInt8] = [DERTag.integer, 0x01, 0x01, DERTag.octetString, 0x20]
        let curve: [UInt8] = withCurve ? [DERTag.context0, 0x0A, DERTag.objectIdentifier, 0x08] + OID.p256 : []
        let point: [UInt8] = [DERTag.context1, 0x44, DERTag.bitString, 0x42, 0x00] + publicKey.uncompressed
        let count = head.count + P256Curve.coordinateCount + curve.count + point.count
        var der = [UInt8]()
        der.reserveCapacity(count + 2)
        der += [DERTag.sequence, UInt8(truncatingIfNeeded: count)] + head
        withScalar { der += $0 }
        der += curve + point
        return der
    }

    /// Lends the scalar, 32 bytes big endian.
    func withScalar<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeTemporaryAllocation(byteCount: P256Curve.coordinateCount, alignment: 1) { buffer in
            defer { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
            BN_bn2binpad(scalar.number, buffer.octets, Int32(buffer.count))
            return body(UnsafeRawBufferPointer(buffer))
        }
    }

    /// The scalar, 32 bytes big endian.
    public var scalarBytes: SecretBytes { withScalar { SecretBytes(copying: $0) } }

    /// The key as a `PRIVATE KEY` block (PKCS#8, RFC 5958).
    public func pkcs8PEM() -> SecretBytes {
        var inner = ecPrivateKey(withCurve: false)
        defer { wipe(&inner) }
        let head: [UInt8] =
            [DERTag.integer, 0x01, 0x00] + P256PublicKey.algorithmDER
            + [DERTag.octetString, UInt8(truncatingIfNeeded: inner.count)]
        var der = [UInt8]()
        der.reserveCapacity(head.count + inner.count + 3)
        der += [DERTag.sequence, 0x81, UInt8(truncatingIfNeeded: head.count + inner.count)] + head
        der += inner
        return Self.secretPEM("PRIVATE KEY", &der)
    }

    /// The key as an `EC PRIVATE KEY` block (SEC 1 C.4, RFC 5915).
    public func sec1PEM() -> SecretBytes {
        var der = ecPrivateKey(withCurve: true)
        return Self.secretPEM("EC PRIVATE KEY", &der)
    }

    private static func secretPEM(_ label: String, _ der: inout [UInt8]) -> SecretBytes {
        var text = TextForms.pem(label: label, der)
        defer {
            wipe(&der)
            wipe(&text)
        }
        return SecretBytes(copying: text)
    }
}
