// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A directory that keeps what is its owner's.
package struct StateDirectory: Hashable, Sendable {
    /// The whole path, standardised.
    package let path: String
    /// Whether it belongs to the user of this process.
    package let isOwn: Bool
    /// Whether neither group nor others have any right to it.
    package let isClosed: Bool
    /// Whether group or others can write to it.
    package let isShared: Bool

    /// The directory, made (0700, its parents too) when it is not there. An existing one is looked at and left as it
    /// is: somebody may have named a directory that is shared for a reason.
    package init(making path: String) throws(HostFileError) {
        let whole = URL(fileURLWithPath: path).standardizedFileURL.path
        let parent = URL(fileURLWithPath: whole).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if mkdir(whole, 0o700) != 0, errno != EEXIST { throw HostFileError(whole, "cannot be made") }
        var status = stat()
        guard stat(whole, &status) == 0 else { throw HostFileError(whole, "cannot be looked at") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw HostFileError(.notAllowed, "\(whole) is no directory") }
        self.path = whole
        isOwn = status.st_uid == geteuid()
        isClosed = status.st_mode & 0o077 == 0
        isShared = status.st_mode & 0o022 != 0
    }

    /// Whether nothing is in it.
    package var isEmpty: Bool { (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty == true }

    /// Takes all rights from group and others.
    package func close() throws(HostFileError) {
        guard chmod(path, 0o700) == 0 else { throw HostFileError(path, "cannot be made its owner's") }
    }

    /// The path of a file in it.
    package func file(_ name: String) -> String { path + "/" + name }
}
