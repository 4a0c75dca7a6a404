// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// The encrypted pass data, the value of tag 9F27, taken apart (kormax/apple-vas README, "Cryptogram").
///
/// | offset | length | field |
/// | --- | --- | --- |
/// | 0 | 4 | key id |
/// | 4 | 32 | X of the phone's one-time P-256 key |
/// | 36 | 4 + n | ciphertext of time and message |
/// | 40 + n | 16 | AES-GCM tag |
public struct VASCryptogram: Hashable, Sendable {
    /// The whole value.
    public let bytes: [UInt8]

    /// The least: key id, X, four bytes of time, tag.
    public static let minimumCount = 56

    /// The prime of P-256 (SEC 2, 2.4.2), big endian: no X coordinate reaches it.
    private static let fieldPrime: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12) + [UInt8](repeating: 0xFF, count: 12)

    /// Takes the value of tag 9F27, at least 56 bytes; no cryptography happens.
    ///
    /// - Throws: ``VASPayloadFailure`` with `tooShort` or `invalidEphemeralKey` (X is not under the prime).
    public init(_ bytes: [UInt8]) throws(VASPayloadFailure) {
        guard bytes.count >= Self.minimumCount else {
            let reason = "pass data has at least \(Self.minimumCount) bytes, not \(bytes.count)"
            throw VASPayloadFailure(.tooShort, reason: reason, cryptogram: bytes)
        }
        guard bytes[4..<36].lexicographicallyPrecedes(Self.fieldPrime) else {
            let reason = "the phone's one-time key is no point of P-256: its X is not under the prime"
            throw VASPayloadFailure(.invalidEphemeralKey, reason: reason, cryptogram: bytes)
        }
        self.bytes = bytes
    }

    /// Which key opens it: four bytes, see ``VASKeyID``.
    public var keyID: VASKeyID { VASKeyID(bytes.prefix(4)) }
    /// X of the phone's one-time key, 32 bytes big endian.
    public var ephemeralX: ArraySlice<UInt8> { bytes[4..<36] }
    /// The encrypted time and message, at least 4 bytes.
    public var ciphertext: ArraySlice<UInt8> { bytes[36..<bytes.count - 16] }
    /// The authentication tag, 16 bytes.
    public var tag: ArraySlice<UInt8> { bytes.suffix(16) }
}

/// The first four bytes of SHA-256 over X of a pass's public key (kormax/apple-vas README, "Cryptogram").
public struct VASKeyID: Hashable, Sendable, CustomStringConvertible {
    /// The four bytes as one big-endian number.
    public let rawValue: UInt32

    /// A key id as a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The first four of `bytes`, big endian; fewer are taken as the low bytes.
    public init(_ bytes: some Sequence<UInt8>) { rawValue = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// The four bytes.
    public var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * UInt32($0))) } }

    /// Eight lower-case hex digits.
    public var description: String { Hex.encode(bytes).lowercased() }
}
