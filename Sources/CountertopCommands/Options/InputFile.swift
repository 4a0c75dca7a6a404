// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import Foundation

/// Files that commands read whole.
enum InputFile {
    /// More than any certificate or key has.
    static let keyLimit = 1 << 20
    /// More than any pass has.
    static let passLimit = 64 << 20

    /// All bytes of a file.
    ///
    /// - Parameters:
    ///   - limit: the most it may hold; devices without an end are stopped by it too.
    ///   - check: looks at the open file before anything is read.
    static func read(
        _ path: String, limit: Int, check: (Int32) throws(ToolError) -> Void = { _ in }
    ) throws(ToolError) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        try check(descriptor)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        throw ToolError(.data, code: "tooLarge", "\(path): more than \(limit >> 20) MiB are not read")
    }

    /// A trace; errors name the file.
    static func trace(_ path: String) throws -> APDUTrace {
        let trace = try naming(path) { () throws(TraceError) in try APDUTrace(file: path) }
        guard !trace.taps.isEmpty else { throw noTap(path) }
        return trace
    }

    /// A trace in any form that can be imported; errors name the file.
    static func anyTrace(_ path: String, redactor: TraceRedactor? = .standard) throws -> TraceImport {
        let bytes = try read(path, limit: TraceImport.maximumSize)
        return try naming(path) { () throws(TraceError) in try TraceImport(bytes, redactor: redactor) }
    }

    private static let form = "a trace is lines of hex, command and answer in turn, and lines that begin with #"

    private static func noTap(_ path: String) -> ToolError {
        ToolError(.data, "\(path): there is no tap in this trace", hint: "`countertop record` makes traces")
    }

    private static func naming<Value>(
        _ path: String, _ body: () throws(TraceError) -> Value
    ) throws(ToolError) -> Value {
        close(try open(path))
        do { return try body() } catch {
            let (line, hint) = error.line > 0 ? (", line \(error.line)", form) : ("", nil)
            throw ToolError(
                error.code == .unreadableFile ? .noInput : .data, code: error.code.rawValue,
                "\(path)\(line): \(error.reason)",
                hint: hint)
        }
    }

    private static func open(_ path: String) throws(ToolError) -> Int32 {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw unreadable(path, EISDIR)
        }
        return descriptor
    }

    private static func unreadable(_ path: String, _ error: Int32) -> ToolError {
        ToolError(.noInput, "\(path) cannot be read: \(String(cString: strerror(error)))")
    }
}
