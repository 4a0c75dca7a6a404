// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Files that commands write.
enum OutputFile {
    /// Says so before any work when the file would be overwritten.
    static func refuseExisting(_ path: String) throws(ToolError) {
        guard access(path, F_OK) != 0 else { throw exists(path) }
    }

    /// Writes the whole text.
    static func write(_ text: String, to path: String, overwriting: Bool) throws(ToolError) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (overwriting ? O_TRUNC : O_EXCL)
        let descriptor = open(path, flags, 0o644)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? exists(path)
                : ToolError(.inputOutput, "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        do { try StandardStream.write(Array(text.utf8), to: descriptor) } catch {
            throw ToolError(.inputOutput, "\(path) cannot be written", hint: error.hint)
        }
    }

    private static func exists(_ path: String) -> ToolError {
        ToolError(
            .refused, code: "fileExists", "\(path) exists and is not overwritten",
            hint: "choose another name, or add --force")
    }
}
