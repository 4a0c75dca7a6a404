// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A list of C strings, as long as the object lives. Not for secrets: they would stay in memory.
final class CStrings {
    private let copies: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String?]) {
        copies = texts.map { text in text.flatMap { strdup($0) } }
    }

    deinit { for copy in copies { free(copy) } }

    /// The strings; nil where there was none.
    var pointers: [UnsafePointer<CChar>?] { copies.map { UnsafePointer($0) } }
}
