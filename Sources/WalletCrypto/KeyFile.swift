// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension P256PrivateKey {
    /// The key in a file, in any form that ``init(reading:)`` takes.
    ///
    /// A file that group or others can read or write is refused, as `ssh` does; a pipe is taken as it is.
    /// - Throws: `unreadableFile`, `filePermissions`, or what ``init(reading:)`` throws.
    public init(file path: String) throws(CryptoError) {
        var bytes = try KeyFile.contents(ofFile: path)
        defer { wipe(&bytes) }
        try self.init(reading: bytes)
    }
}

/// Reads key files. Everything is checked on the open file, so that it cannot be exchanged in between.
private enum KeyFile {
    /// Far more than any key file with its certificates has.
    static let limit = 1 << 20

    static func contents(ofFile path: String) throws(CryptoError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw unreadable(path, EISDIR) }
        if kind == S_IFREG, status.st_mode & 0o066 != 0 {
            throw CryptoError(
                .filePermissions, "The key file \(path) can be read or written by other users",
                hint: "make it yours alone: chmod 600 \(path)")
        }
        return try contents(of: descriptor, path)
    }

    private static func contents(of descriptor: Int32, _ path: String) throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count = 0
        while true {
            let got = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                wipe(&bytes)
                throw unreadable(path, errno)
            }
            count += got
            if got == 0 { break }
            if count == bytes.count { grow(&bytes) }
            guard bytes.count <= limit else {
                wipe(&bytes)
                throw CryptoError(.unreadableFile, "The file \(path) is too large for a key file")
            }
        }
        defer { wipe(&bytes) }
        return Array(bytes[..<count])
    }

    /// Twice the room, and nothing left behind in the old one.
    private static func grow(_ bytes: inout [UInt8]) {
        var larger = [UInt8](repeating: 0, count: bytes.count * 2)
        larger.replaceSubrange(..<bytes.count, with: bytes)
        wipe(&bytes)
        bytes = larger
    }

    private static func unreadable(_ path: String, _ error: Int32) -> CryptoError {
        CryptoError(.unreadableFile, "The key file \(path) cannot be read: \(String(cString: strerror(error)))")
    }
}
