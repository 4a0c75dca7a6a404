// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Files that commands write.
enum OutputFile {
    /// Says before any work what would be wrong after it: no name, a folder, no folder, a file that is there.
    static func check(_ path: String, overwriting: Bool) throws(ToolError) {
        guard !path.isEmpty else { throw ToolError(.usage, "--output needs a file name") }
        var status = stat()
        if stat(path, &status) == 0 {
            guard overwriting else { throw exists(path) }
            guard status.st_mode & S_IFMT != S_IFDIR else { throw unmakeable(path, EISDIR) }
            guard access(path, W_OK) == 0 else { throw unmakeable(path, errno) }
        } else {
            let folder = URL(filePath: path).deletingLastPathComponent().path()
            guard access(folder, W_OK | X_OK) == 0 else { throw unmakeable(path, errno) }
        }
    }

    /// Writes the whole text.
    static func write(_ text: String, to path: String, overwriting: Bool) throws(ToolError) {
        try write(Array(text.utf8), to: path, overwriting: overwriting)
    }

    /// Writes all bytes.
    static func write(_ bytes: [UInt8], to path: String, overwriting: Bool) throws(ToolError) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (overwriting ? O_TRUNC : O_EXCL)
        let descriptor = open(path, flags, 0o644)
        guard descriptor >= 0 else {
            throw errno == EEXIST ? exists(path) : unmakeable(path, errno)
        }
        defer { close(descriptor) }
        do { try StandardStream.write(bytes, to: descriptor) } catch {
            let reason = String(cString: strerror(errno))
            if !overwriting { unlink(path) }
            throw ToolError(.inputOutput, "\(path) cannot be written: \(reason)")
        }
    }

    private static func unmakeable(_ path: String, _ error: Int32) -> ToolError {
        ToolError(
            .inputOutput, "\(path) cannot be made: \(String(cString: strerror(error)))",
            hint: "choose a file in a folder that you may write to")
    }

    private static func exists(_ path: String) -> ToolError {
        ToolError(
            .refused, code: "fileExists", "\(path) exists and is not overwritten",
            hint: "choose another name, or add --force")
    }
}
