// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Compiles somebody else's listing against the modules that the tests were built with.
public struct SampleCompiler: Sendable {
    /// The folder that this test was built into; it holds the modules and their object files.
    public static let build = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// Whether a module was built here.
    public static func has(_ module: String) -> Bool {
        FileManager.default.fileExists(atPath: build.path + "/Modules/\(module).swiftmodule")
    }

    /// The language mode, 5 or 6.
    public var language: Int
    /// Our modules and those of other packages that the program is linked from.
    public var modules: [String]
    /// System libraries and further options.
    public var options: [String]

    /// A compiler for programs that use these modules.
    public init(language: Int, modules: [String], options: [String]) {
        (self.language, self.modules, self.options) = (language, modules, options)
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Compiles `sources` to the program `path`.
    ///
    /// - Returns: the compiler's status and what it said.
    public func compile(_ sources: [String], to path: String) throws -> (status: Int32, text: String) {
        var arguments = ["swiftc", "-swift-version", "\(language)", "-o", path, "-I", Self.build.path + "/Modules"]
        arguments += sources
        for module in ["COpenSSL", "CPCSCLite", "CArchive"] {
            arguments += ["-Xcc", "-fmodule-map-file=\(Self.root)/Sources/\(module)/module.modulemap"]
        }
        arguments += ["-Xcc", "-I/usr/include/PCSC"] + options + Self.databaseModule
        for module in modules { arguments += try Self.objects(of: module) }
        let result = try Self.run("/usr/bin/env", arguments)
        // Objects that were built with a sanitizer need it.
        for (mark, sanitizer) in ["__tsan_": "thread", "__asan_": "address"] where result.text.contains(mark) {
            return try Self.run("/usr/bin/env", arguments + ["-sanitize=\(sanitizer)"])
        }
        return result
    }

    /// The module map of the database library's C module, where that was fetched.
    private static var databaseModule: [String] {
        var folder = build
        while folder.lastPathComponent != ".build", folder.path.count > 1 { folder.deleteLastPathComponent() }
        let places =
            [folder, build].map { $0.appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite") }
            + [URL(fileURLWithPath: root).appending(path: ".build/checkouts/GRDB.swift/Sources/GRDBSQLite")]
        let map = places.map { $0.appending(path: "module.modulemap").path() }
            .first { FileManager.default.fileExists(atPath: $0) }
        return map.map { ["-Xcc", "-fmodule-map-file=\($0)"] } ?? []
    }

    /// Object files of a module, without those whose source is gone: they stay in the build folder.
    private static func objects(of module: String) throws -> [String] {
        let folder = "\(build.path)/\(module).build"
        let sources = try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/Sources/\(module)")
        let current = sources.map { Set($0.map { ($0 as NSString).lastPathComponent + ".o" }) }
        return try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".o") && current?.contains(($0 as NSString).lastPathComponent) ?? true }
            .map { "\(folder)/\($0)" }
    }

    /// Runs a program to its end; both of its outputs in one text.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
