// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The bytes of any collection, without a copy when they lie in one piece.
func withBytes<R, E: Error>(
    _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws(E) -> R
) throws(E) -> R {
    let inPlace = bytes.withContiguousStorageIfAvailable { buffer in
        do throws(E) {
            return Result<R, E>.success(try body(UnsafeRawBufferPointer(buffer)))
        } catch {
            return .failure(error)
        }
    }
    if let inPlace { return try inPlace.get() }
    var copy = Array(bytes)
    defer { wipe(&copy) }
    return try copy.withUnsafeBytes { buffer in
        do throws(E) { return Result<R, E>.success(try body(buffer)) } catch { return .failure(error) }
    }.get()
}

/// Overwrites an array that held a secret; it must be the only holder of its storage.
func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}

extension UnsafeRawBufferPointer {
    /// The same bytes as OpenSSL wants them.
    var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    /// The same bytes as OpenSSL wants them.
    var octets: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

/// Comparison in a time that depends on the lengths only.
public enum ConstantTime {
    /// Whether both hold the same bytes. Different lengths are told apart at once.
    public static func areEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
        withBytes(one) { left in
            withBytes(other) { right in
                left.count == right.count
                    && (left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0)
            }
        }
    }
}
