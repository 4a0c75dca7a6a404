// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The real `countertop`, as a process.
final class ToolProcess: @unchecked Sendable {
    /// What a finished run left behind.
    struct Outcome {
        var status: Int32
        var output: String
        var talk: String

        /// Standard output as one JSON object.
        func json() throws -> [String: Any] {
            let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
            return try #require(value as? [String: Any], "not a JSON object: \(output)")
        }
    }

    /// The build folder: tests run from it.
    static let buildFolder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent()

    private let process = Process()
    private let (output, talk): (String, String)
    private let folder: TemporaryFolder

    /// Starts the tool. Its output goes to files, so that no pipe can fill and block it.
    init(_ arguments: [String], environment: [String: String] = [:], in folder: TemporaryFolder) throws {
        self.folder = folder
        let name = UUID().uuidString
        (output, talk) = (try folder.write(name + ".out", ""), try folder.write(name + ".err", ""))
        process.executableURL = Self.buildFolder.appending(path: "countertop")
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment
            .merging(["XDG_STATE_HOME": folder.url.path(), "NO_COLOR": "1"]) { $1 }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: talk)
        try process.run()
    }

    /// Runs the tool to its end, or kills it after `timeout` seconds.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: TemporaryFolder, timeout: Double = 60
    ) async throws -> Outcome {
        let tool = try ToolProcess(arguments, environment: environment, in: folder)
        return try await tool.outcome(timeout: timeout)
    }

    /// Waits for the end of the process.
    func outcome(timeout: Double = 60) async throws -> Outcome {
        let end = Date(timeIntervalSinceNow: timeout)
        while process.isRunning, Date() < end { try await Task.sleep(for: .milliseconds(20)) }
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            Issue.record("the tool did not end within \(timeout) s: \(said)")
        }
        process.waitUntilExit()
        let outcome = Outcome(status: process.terminationStatus, output: try folder.text(output), talk: said)
        SecretsGate.sawTool(process.arguments ?? [], output: outcome.output, error: outcome.talk)
        return outcome
    }

    /// Waits until standard error has `text`.
    func waits(for text: String, timeout: Double = 20) async throws {
        let end = Date(timeIntervalSinceNow: timeout)
        while !said.contains(text) {
            try #require(process.isRunning && Date() < end, "no `\(text)` in: \(said)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits until standard output has `text`.
    func waits(forOutput text: String, timeout: Double = 20) async throws {
        let end = Date(timeIntervalSinceNow: timeout)
        while !written.contains(text) {
            try #require(process.isRunning && Date() < end, "no `\(text)` in: \(written) \(said)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// What the process wrote to standard output so far.
    var written: String { (try? folder.text(output)) ?? "" }

    /// How many files and sockets it has open.
    var openDescriptors: Int {
        let folder = "/proc/\(process.processIdentifier)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? -1
    }

    /// What the process wrote to standard error so far.
    var said: String { (try? folder.text(talk)) ?? "" }

    /// Sends a signal.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
