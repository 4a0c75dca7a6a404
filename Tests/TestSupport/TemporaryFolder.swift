// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A folder that goes away with its owner.
public final class TemporaryFolder: Sendable {
    /// Where it is.
    public let url = FileManager.default.temporaryDirectory.appending(path: "countertop-\(UUID().uuidString)")

    /// Makes the folder, empty.
    public init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit {
        SecretsGate.sawFiles(of: url)
        try? FileManager.default.removeItem(at: url)
    }

    /// The whole path of a file in it, which need not be there; without a name that of the folder.
    public func path(_ name: String = "") -> String { name.isEmpty ? url.path() : url.appending(path: name).path() }

    /// Writes a file, and gives back its whole path.
    @discardableResult
    public func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o600) throws -> String {
        try Data(bytes).write(to: url.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }

    /// Writes a file, and gives back its whole path.
    @discardableResult
    public func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        try write(name, Array(text.utf8), mode: mode)
    }

    /// The bytes of a file, by name.
    public func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url.appending(path: name))) }

    /// The text of a file, by its whole path.
    public func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}
