// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Files with secrets in them: cards, tokens, keys of servers.
enum PrivateFile {
    /// All bytes of a file that group and others can neither read nor write; a pipe is taken as it is.
    ///
    /// Checked on the open file, so that it cannot be exchanged in between.
    static func read(_ path: String, limit: Int = InputFile.keyLimit) throws(ToolError) -> [UInt8] {
        try InputFile.read(path, limit: limit) { descriptor throws(ToolError) in
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o066 != 0
            else { return }
            throw ToolError(
                .refused, code: "filePermissions", "\(path) can be read or written by other users",
                hint: "make it yours alone: chmod 600 \(path)")
        }
    }
}
