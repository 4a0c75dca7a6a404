// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HostSystem

/// The directory of a store: its owner's alone (0700), with files that are (0600).
struct StoreDirectory: Hashable, Sendable {
    private let directory: StateDirectory

    /// The whole path, without links.
    var path: String { directory.path }

    /// `$XDG_STATE_HOME/countertop/store`, in `~/.local/state` when the variable is not set.
    static func defaultPath(environment: [String: String]) -> String {
        URL(fileURLWithPath: DevelopmentTokenKey.path(environment: environment)).deletingLastPathComponent()
            .appendingPathComponent("store").path
    }

    /// The directory, made when it is not there.
    ///
    /// - Throws: `notAllowed` when it cannot be made, or others may look into it.
    init(_ path: String) throws(StoreFailure) {
        directory = try StoreFailure.of { () throws(HostFileError) in try StateDirectory(making: path) }
        guard directory.isClosed, directory.isOwn else {
            throw StoreFailure(
                .notAllowed,
                "the store \(self.path) is not for its owner alone; make it so with chmod 700, or name another directory"
            )
        }
    }

    func file(_ name: String) -> String { directory.file(name) }

    /// Makes a file with mode 0600 when it is not there, and gives one that is that mode.
    func claim(_ name: String) throws(StoreFailure) {
        try StoreFailure.of { () throws(HostFileError) in try StateFile.claim(file(name)) }
    }

    /// Puts a whole file in place of another, mode 0600: either the old one is there or the new one, never half of it.
    func replace(_ name: String, with bytes: UnsafeRawBufferPointer) throws(StoreFailure) {
        try StoreFailure.of { () throws(HostFileError) in try StateFile.replace(file(name), with: bytes) }
    }

    /// This process's right to the store.
    ///
    /// - Throws: `busy` when another has it.
    func lock() throws(StoreFailure) -> ProcessLock {
        do { return try ProcessLock(file("lock")) } catch {
            guard error.kind == .busy else { throw StoreFailure(error) }
            throw StoreFailure(.busy, "another process has the store \(path)")
        }
    }
}

extension StoreFailure {
    fileprivate init(_ error: HostFileError) {
        self.init(error.kind == .full ? .full : .notAllowed, error.description)
    }

    fileprivate static func of<Value>(
        _ body: () throws(HostFileError) -> Value
    ) throws(StoreFailure) -> Value {
        do { return try body() } catch { throw StoreFailure(error) }
    }
}
