// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Why a file or directory of ours cannot be used.
package struct HostFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller can do something about.
    package enum Kind: Hashable, Sendable {
        /// Another process has it.
        case busy
        /// Nothing more can be written: the disk, a quota or a limit of the process.
        case full
        /// Anything else.
        case notAllowed
    }

    package let kind: Kind
    /// What is wrong, with the path.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        (self.kind, self.description) = (kind, description)
    }

    /// What the last system call said.
    package init(_ path: String, _ problem: String) {
        let number = errno
        let isFull = number == ENOSPC || number == EDQUOT || number == EFBIG
        self.init(isFull ? .full : .notAllowed, "\(path) \(problem): \(String(cString: strerror(number)))")
    }
}
