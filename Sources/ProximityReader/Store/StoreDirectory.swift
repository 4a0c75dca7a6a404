// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The directory of a store: its owner's alone (0700), with files that are (0600).
struct StoreDirectory: Hashable, Sendable {
    /// The whole path, without links.
    let path: String

    /// `$XDG_STATE_HOME/countertop/store`, in `~/.local/state` when the variable is not set.
    static func defaultPath(environment: [String: String]) -> String {
        URL(fileURLWithPath: DevelopmentTokenKey.path(environment: environment)).deletingLastPathComponent()
            .appendingPathComponent("store").path
    }

    /// The directory, made when it is not there.
    ///
    /// - Throws: `notAllowed` when it cannot be made, or others may look into it.
    init(_ path: String) throws(StoreFailure) {
        let whole = URL(fileURLWithPath: path).standardizedFileURL.path
        let parent = URL(fileURLWithPath: whole).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if mkdir(whole, 0o700) != 0, errno != EEXIST { throw Self.failure("cannot be made", whole) }
        var status = stat()
        guard stat(whole, &status) == 0 else { throw Self.failure("cannot be looked at", whole) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw StoreFailure(.notAllowed, "the store \(whole) is no directory")
        }
        // Never tightened here: somebody may have named a directory that is shared for a reason.
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw StoreFailure(
                .notAllowed,
                "the store \(whole) is not for its owner alone; make it so with chmod 700, or name another directory")
        }
        self.path = whole
    }

    func file(_ name: String) -> String { path + "/" + name }

    static func failure(_ problem: String, _ path: String) -> StoreFailure {
        let kind: StoreFailure.Kind = errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? .full : .notAllowed
        return StoreFailure(kind, "\(path) \(problem): \(String(cString: strerror(errno)))")
    }
}

extension StoreDirectory {
    /// Makes a file with mode 0600 when it is not there, and gives one that is that mode.
    func claim(_ name: String) throws(StoreFailure) {
        let descriptor = open(file(name), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot be opened", file(name)) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure("cannot be made its owner's", file(name)) }
    }

    /// Puts a whole file in place of another, mode 0600: either the old one is there or the new one, never half of it.
    func replace(_ name: String, with bytes: UnsafeRawBufferPointer) throws(StoreFailure) {
        let draft = file("\(name).\(UUID().uuidString)")
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot be written", file(name)) }
        defer { unlink(draft) }
        let written = write(descriptor, bytes.baseAddress, bytes.count)
        let synced = written == bytes.count && fsync(descriptor) == 0
        guard close(descriptor) == 0, synced, rename(draft, file(name)) == 0 else {
            throw Self.failure("cannot be written", file(name))
        }
    }
}

/// A process's right to a store, kept until it is released; the system releases it when the process ends, however.
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `busy` when another has it.
    init(_ directory: StoreDirectory) throws(StoreFailure) {
        let path = directory.file("lock")
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreDirectory.failure("cannot be opened", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let other = StoreDirectory.failure("cannot be locked", path)
            close(descriptor)
            throw isTaken ? StoreFailure(.busy, "another process has the store \(directory.path)") : other
        }
    }

    deinit { close(descriptor) }
}
