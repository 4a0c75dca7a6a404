// SPDX-License-Identifier: Apache-2.0

/// The few things of DER (X.690) that key files need. Reading past the end gives nil, never a trap.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }
    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether everything has been read.
    var isAtEnd: Bool { rest.isEmpty }
    /// The tag byte of the next object.
    var nextTag: UInt8? { rest.first }

    /// The contents of the next object if it has this tag byte.
    mutating func read(_ tag: UInt8) -> ArraySlice<UInt8>? {
        nextTag == tag ? readAny()?.value : nil
    }

    /// The next object, whatever it is. Lengths of up to three bytes are enough for any key.
    mutating func readAny() -> (tag: UInt8, value: ArraySlice<UInt8>)? {
        var cursor = rest
        guard let tag = cursor.popFirst(), let first = cursor.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let lengthBytes = Int(first & 0x7F)
            guard (1...3).contains(lengthBytes), cursor.count >= lengthBytes else { return nil }
            length = cursor.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
            cursor = cursor.dropFirst(lengthBytes)
        }
        guard cursor.count >= length else { return nil }
        rest = cursor.dropFirst(length)
        return (tag, cursor.prefix(length))
    }

    /// The one object with this tag byte that `bytes` must consist of.
    static func only(_ tag: UInt8, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var reader = DERReader(bytes)
        guard let value = reader.read(tag), reader.isAtEnd else { return nil }
        return value
    }
}

/// Tag bytes (X.690 8.1.2, X.680 table 1).
enum DERTag {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30
    static let context0: UInt8 = 0xA0
    static let context1: UInt8 = 0xA1
}

/// Object identifiers, as the contents of their DER objects.
enum OID {
    /// 1.2.840.10045.2.1, id-ecPublicKey (RFC 5480, 2.1.1).
    static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// 1.2.840.10045.3.1.7, secp256r1 (RFC 5480, 2.1.1.1).
    static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// Names for what users bring instead (RFC 5480 2.1.1.1, SEC 2, RFC 8017 A.1, RFC 8410 3).
    static let names: [[UInt8]: String] = [
        [0x2B, 0x81, 0x04, 0x00, 0x22]: "P-384 (secp384r1)",
        [0x2B, 0x81, 0x04, 0x00, 0x23]: "P-521 (secp521r1)",
        [0x2B, 0x81, 0x04, 0x00, 0x21]: "P-224 (secp224r1)",
        [0x2B, 0x81, 0x04, 0x00, 0x0A]: "secp256k1",
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x01]: "P-192 (prime192v1)",
        [0x2B, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x07]: "brainpoolP256r1",
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]: "RSA",
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]: "RSA-PSS",
        [0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x01]: "DSA",
        [0x2B, 0x65, 0x6E]: "X25519",
        [0x2B, 0x65, 0x6F]: "X448",
        [0x2B, 0x65, 0x70]: "Ed25519",
        [0x2B, 0x65, 0x71]: "Ed448",
    ]
}
