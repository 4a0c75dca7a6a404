// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// A public key on P-256 (secp256r1): a point that has been checked to lie on the curve.
public struct P256PublicKey: Hashable, Sendable {
    /// The point as `04 ‖ X ‖ Y`, 65 bytes (SEC 1, 2.3.3).
    public let uncompressed: [UInt8]

    /// A point that was computed here: nothing is checked.
    init(computed uncompressed: [UInt8]) { self.uncompressed = uncompressed }

    /// A key from an encoded point: 65 bytes `04 ‖ X ‖ Y` or 33 bytes `02|03 ‖ X`.
    /// - Throws: `invalidPoint` for another form, a coordinate ≥ p, or a point off the curve.
    public init(x963 bytes: some Collection<UInt8>) throws(CryptoError) {
        uncompressed = try withBytes(bytes) { bytes throws(CryptoError) in
            switch (bytes.count, bytes.first) {
            case (P256Curve.uncompressedCount, 0x04), (P256Curve.compressedCount, 0x02),
                (P256Curve.compressedCount, 0x03):
                return try P256Curve.uncompressed(bytes)
            case (1, 0x00):
                throw CryptoError(.invalidPoint, "The point at infinity is not a public key")
            default:
                throw CryptoError(
                    .invalidPoint,
                    "A P-256 point has 65 bytes beginning with 04 or 33 beginning with 02 or 03, not \(bytes.count) bytes"
                )
            }
        }
    }

    /// A key from the X coordinate alone, 32 bytes big endian; of the two points the one with even Y.
    /// - Throws: `invalidPoint` for another length, X ≥ p, or an X that no point of the curve has.
    public init(xOnly bytes: some Collection<UInt8>) throws(CryptoError) {
        uncompressed = try Self.withCompressed(x: bytes) { point throws(CryptoError) in
            try P256Curve.uncompressed(point)
        }
    }

    /// The X coordinate, 32 bytes big endian.
    public var x: [UInt8] { Array(uncompressed[1..<33]) }
    /// The Y coordinate, 32 bytes big endian.
    public var y: [UInt8] { Array(uncompressed[33..<65]) }
    /// The point as `02 ‖ X` (even Y) or `03 ‖ X`, 33 bytes (SEC 1, 2.3.3).
    public var compressed: [UInt8] { [0x02 | uncompressed[64] & 1] + uncompressed[1..<33] }

    /// Lends `02 ‖ X` for an X of 32 bytes.
    static func withCompressed<R>(
        x: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws(CryptoError) -> R
    ) throws(CryptoError) -> R {
        guard x.count == P256Curve.coordinateCount else {
            throw CryptoError(.invalidPoint, "An X coordinate on P-256 has 32 bytes, not \(x.count)")
        }
        return try withUnsafeTemporaryAllocation(byteCount: P256Curve.compressedCount, alignment: 1) { point in
            do throws(CryptoError) {
                point[0] = 0x02
                point[1...].copyBytes(from: x)
                return Result<R, CryptoError>.success(try body(UnsafeRawBufferPointer(point)))
            } catch { return .failure(error) }
        }.get()
    }
}
