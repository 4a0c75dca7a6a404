// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import Foundation
internal import InAppProvisioning
internal import Synchronization

/// A user's program that drives an extension with ExtensionHarness and leaves its report in a file.
struct ExtensionProgram {
    let command: [String]
    let hasWatch: Bool
    let limit: Duration

    /// - Parameter path: an executable, or the folder of a package whose one executable (or `product`) is run.
    init(_ path: String, product: String?, arguments: [String], hasWatch: Bool, limit: Duration) throws(ToolError) {
        (self.hasWatch, self.limit) = (hasWatch, limit)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ToolError(.noInput, "\(path): no such file or folder")
        }
        if isFolder.boolValue {
            guard FileManager.default.fileExists(atPath: path + "/Package.swift") else {
                throw ToolError(.data, "\(path): there is no Package.swift", hint: Self.howTo)
            }
            let named = product.map { [$0] } ?? []
            guard arguments.isEmpty || !named.isEmpty else {
                throw ToolError(.usage, "arguments for a package's program need --product before them")
            }
            command = ["/usr/bin/env", "swift", "run", "--package-path", path] + named + arguments
        } else {
            guard access(path, X_OK) == 0 else { throw ToolError(.data, "\(path) is not a program", hint: Self.howTo) }
            command = [path] + arguments
        }
    }

    static let howTo = "give a program that runs ExtensionHarness, see `countertop extension check --help`"

    /// Runs it to its end, and gives the report it left. What it prints goes to standard error.
    func run(_ talk: Talk) async throws -> ConformanceReport {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countertop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "report.json").path()
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging([
            "COUNTERTOP_EXTENSION_REPORT": file, "COUNTERTOP_EXTENSION_WATCH": hasWatch ? "1" : "0",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.standardError
        let status = try await Self.finish(process, within: limit)
        guard FileManager.default.fileExists(atPath: file) else {
            throw ToolError(
                .checkFailed, code: "noReport",
                status.map { "the program ended with status \($0) and left no report" }
                    ?? "the program did not end within \(limit / .seconds(1)) s",
                hint: status == nil ? "--timeout gives it more time" : Self.howTo)
        }
        let bytes = try InputFile.read(file, limit: InputFile.keyLimit)
        do { return try ConformanceReport(json: bytes) } catch { throw ToolError(error) }
    }

    /// The status of a process, or nil when it had to be ended.
    private static func finish(_ process: Process, within limit: Duration) async throws(ToolError) -> Int32? {
        do { try process.run() } catch {
            throw ToolError(.data, "the program cannot be started", hint: howTo)
        }
        let end = ContinuousClock.now + limit
        while process.isRunning, ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(20))
        }
        guard process.isRunning else { return process.terminationStatus }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        if Task.isCancelled { throw .interrupted }
        return nil
    }
}
