// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Other programs to check against.
public enum Outside {
    /// A Python with the package cryptography, or nil.
    public static let python = ProcessInfo.processInfo.environment["COUNTERTOP_PYTHON"].flatMap {
        $0.isEmpty ? nil : $0
    }

    /// The openssl program, or nil.
    public static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// A program that ended with another status than 0, and what it said on standard error.
    public struct Failed: Error {
        /// The status.
        public var status: Int32
        /// Its standard error.
        public var talk: String
    }

    /// Standard output of a program that ends with status 0.
    @discardableResult
    public static func run(_ program: String?, _ arguments: [String], in folder: TemporaryFolder) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "/nonexistent")
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        // A file takes what is said meanwhile, so that no pipe can fill while the other is read.
        let said = try folder.write("\(UUID().uuidString).err", "")
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: said)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = Array(output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(status: process.terminationStatus, talk: try folder.text(said))
        }
        return bytes
    }

    /// What a Python script prints as JSON, given `input` as `data`.
    public static func python<I: Encodable, O: Decodable>(_ script: String, _ input: I, as type: O.Type) throws -> O {
        let folder = try TemporaryFolder()
        try folder.write("input.json", Array(try JSONEncoder().encode(input)))
        try folder.write("script.py", "import json\ndata = json.load(open('input.json'))\n" + script)
        return try JSONDecoder().decode(type, from: Data(try run(python, ["script.py"], in: folder)))
    }
}
