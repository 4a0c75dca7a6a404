// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Bytes that must not be seen: a key, a shared secret, a private key in text form.
///
/// The memory is overwritten when the last reference goes. Nothing prints the bytes: not `print`, `dump`, string
/// interpolation or a mirror. Immutable, so any thread may read it.
public final class SecretBytes: Sendable {
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// A copy of `bytes`. The original stays with the caller, who should overwrite it.
    public init(copying bytes: some Collection<UInt8>) {
        storage = .allocate(byteCount: bytes.count, alignment: 16)
        storage.copyBytes(from: bytes)
    }

    /// `count` bytes written by `fill`, which must write them all or throw.
    package init<E: Error>(count: Int, fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void) throws(E) {
        storage = .allocate(byteCount: count, alignment: 16)
        try fill(storage)
    }

    /// `count` fresh random bytes.
    public static func random(_ count: Int) -> SecretBytes {
        SecretBytes(count: max(0, count)) { RandomBytes.fill($0, secret: true) }
    }

    deinit {
        OPENSSL_cleanse(storage.baseAddress, storage.count)
        storage.deallocate()
    }

    /// How many bytes.
    public var count: Int { storage.count }

    /// Lends the bytes for the time of `body`. What `body` copies is no longer protected.
    public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(storage))
    }
}

extension SecretBytes: Equatable {
    /// Whether both hold the same bytes, in constant time.
    public static func == (one: SecretBytes, other: SecretBytes) -> Bool {
        one.withUnsafeBytes { left in other.withUnsafeBytes { ConstantTime.areEqual(left, $0) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length only.
    public var description: String { "<secret, \(count) bytes>" }
    /// The length only.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
