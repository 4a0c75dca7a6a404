// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The state directory: its owner's alone (0700), with files that are (0600).
struct OutboxDirectory: Hashable, Sendable {
    static let fileName = "outbox.sqlite"

    /// The whole path.
    let path: String

    var database: String { path + "/" + Self.fileName }

    /// The directory, made when it is not there.
    ///
    /// An empty one of ours is made private. One that has something in it is left as it is, as long as nobody else can
    /// write there: the files themselves are their owner's alone.
    init(making path: String) throws(OutboxError) {
        let whole = URL(fileURLWithPath: path).standardizedFileURL.path
        let parent = URL(fileURLWithPath: whole).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if mkdir(whole, 0o700) != 0, errno != EEXIST { throw Self.failure("cannot be made", whole) }
        var status = stat()
        guard stat(whole, &status) == 0 else { throw Self.failure("cannot be looked at", whole) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw OutboxError(.notAllowed, "the state directory \(whole) is no directory")
        }
        guard status.st_uid == geteuid() else {
            throw OutboxError(
                .notAllowed, "the state directory \(whole) belongs to another user",
                hint: "run as its owner, or name another directory")
        }
        let isEmpty = (try? FileManager.default.contentsOfDirectory(atPath: whole))?.isEmpty == true
        if status.st_mode & 0o077 != 0, isEmpty {
            chmod(whole, 0o700)
        } else if status.st_mode & 0o022 != 0 {
            throw OutboxError(
                .notAllowed, "others can write to the state directory \(whole)", hint: "chmod 700 \(whole)")
        }
        self.path = whole
    }

    /// A directory that has an outbox.
    init(existing path: String) throws(OutboxError) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
        guard access(database, F_OK) == 0 else {
            throw OutboxError(
                .notFound, "there is no outbox in \(self.path)",
                hint: "give the counter's state directory; `countertop serve` makes the outbox")
        }
        guard access(database, R_OK | W_OK) == 0 else { throw Self.failure("cannot be opened", database) }
    }

    /// Makes a file with mode 0600 when it is not there, and gives one that is that mode.
    static func claim(_ path: String) throws(OutboxError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("cannot be opened", path) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw failure("cannot be made its owner's", path) }
    }

    static func failure(_ problem: String, _ path: String) -> OutboxError {
        let code: OutboxError.Code = errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? .full : .notAllowed
        return OutboxError(code, "\(path) \(problem): \(String(cString: strerror(errno)))")
    }

    /// Moves a file into place and makes the move durable.
    static func put(_ draft: String, at path: String) throws(OutboxError) {
        let descriptor = open(draft, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot be opened", draft) }
        let isSynced = fsync(descriptor) == 0
        close(descriptor)
        guard isSynced, rename(draft, path) == 0 else { throw failure("cannot be written", path) }
        let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }
}

/// A process's right to be the counter of an outbox; the system takes it back when the process ends, however.
final class OutboxLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `busy` when another has it.
    init(_ directory: OutboxDirectory) throws(OutboxError) {
        let path = directory.path + "/outbox.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw OutboxDirectory.failure("cannot be opened", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let other = OutboxDirectory.failure("cannot be locked", path)
            close(descriptor)
            throw isTaken
                ? OutboxError(
                    .busy, "another process is the counter of \(directory.path)",
                    hint: "end it first, or give this counter a state directory of its own") : other
        }
    }

    deinit { close(descriptor) }
}
