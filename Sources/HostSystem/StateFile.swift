// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Files of mode 0600.
package enum StateFile {
    /// Makes a file when it is not there, and gives one that is that mode. A symbolic link is refused.
    package static func claim(_ path: String) throws(HostFileError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw HostFileError(path, "cannot be opened") }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw HostFileError(path, "cannot be made its owner's") }
    }

    /// Puts a whole file in place of another: either the old one is there or the new one, never half of it, whenever
    /// the power goes.
    package static func replace(_ path: String, with bytes: UnsafeRawBufferPointer) throws(HostFileError) {
        let draft = "\(path).\(UUID().uuidString)"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HostFileError(path, "cannot be written") }
        defer {
            close(descriptor)
            unlink(draft)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 else { throw HostFileError(path, "cannot be written") }
            rest = rest.dropFirst(count)
        }
        try put(draft, at: path)
    }

    /// Moves a file that is written into place, and makes both durable.
    package static func put(_ draft: String, at path: String) throws(HostFileError) {
        try sync(draft, O_RDONLY)
        guard rename(draft, path) == 0 else { throw HostFileError(path, "cannot be written") }
        // The name is in the folder. A file system that cannot sync folders keeps it as well as it can.
        try? sync(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
    }

    private static func sync(_ path: String, _ flags: Int32) throws(HostFileError) {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw HostFileError(path, "cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw HostFileError(path, "cannot be written") }
    }
}
