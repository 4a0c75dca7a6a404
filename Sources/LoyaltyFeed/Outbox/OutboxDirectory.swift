// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HostSystem

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
        let directory = try OutboxError.of { () throws(HostFileError) in try StateDirectory(making: path) }
        self.path = directory.path
        guard directory.isOwn else {
            throw OutboxError(
                .notAllowed, "the state directory \(self.path) belongs to another user",
                hint: "run as its owner, or name another directory")
        }
        if !directory.isClosed, directory.isEmpty {
            try OutboxError.of { () throws(HostFileError) in try directory.close() }
        } else if directory.isShared {
            throw OutboxError(
                .notAllowed, "others can write to the state directory \(self.path)", hint: "chmod 700 \(self.path)")
        }
    }

    /// A directory that has an outbox.
    init(existing path: String) throws(OutboxError) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
        guard access(database, F_OK) == 0 else {
            throw OutboxError(
                .notFound, "there is no outbox in \(self.path)",
                hint: "give the counter's state directory; `countertop serve` makes the outbox")
        }
        guard access(database, R_OK | W_OK) == 0 else { throw OutboxError(HostFileError(database, "cannot be opened")) }
    }

    /// Makes a file with mode 0600 when it is not there, and gives one that is that mode.
    static func claim(_ path: String) throws(OutboxError) {
        try OutboxError.of { () throws(HostFileError) in try StateFile.claim(path) }
    }

    /// Moves a file into place and makes the move durable.
    static func put(_ draft: String, at path: String) throws(OutboxError) {
        try OutboxError.of { () throws(HostFileError) in try StateFile.put(draft, at: path) }
    }

    /// This process's right to be the counter of the outbox.
    ///
    /// - Throws: `busy` when another has it.
    func lock() throws(OutboxError) -> ProcessLock {
        do { return try ProcessLock(path + "/outbox.lock") } catch {
            guard error.kind == .busy else { throw OutboxError(error) }
            throw OutboxError(
                .busy, "another process is the counter of \(path)",
                hint: "end it first, or give this counter a state directory of its own")
        }
    }
}

extension OutboxError {
    fileprivate init(_ error: HostFileError) {
        self.init(error.kind == .full ? .full : .notAllowed, error.description)
    }

    fileprivate static func of<Value>(
        _ body: () throws(HostFileError) -> Value
    ) throws(OutboxError) -> Value {
        do { return try body() } catch { throw OutboxError(error) }
    }
}
