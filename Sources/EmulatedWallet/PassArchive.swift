// SPDX-License-Identifier: Apache-2.0

import CArchive

/// Zip archives through libarchive, from and to memory. Nothing is ever written to the file system by an entry's name.
enum PassArchive {
    /// Unpacks all files.
    static func unpack(_ bytes: [UInt8], limits: PassPackage.Limits) throws(WalletError) -> [String: [UInt8]] {
        try check(bytes, limits: limits)
        return try UTF8Locale.run { () throws(WalletError) in try unpackChecked(bytes, limits: limits) }
    }

    private static func unpackChecked(
        _ bytes: [UInt8], limits: PassPackage.Limits
    ) throws(WalletError) -> [String: [UInt8]] {
        guard let archive = archive_read_new() else { throw outOfMemory }
        defer { archive_read_free(archive) }
        archive_read_support_format_zip(archive)
        var failure: WalletError?
        var unpacking = Unpacking(archive: archive, archiveBytes: bytes.count, limits: limits)
        bytes.withUnsafeBytes { buffer in
            guard archive_read_open_memory(archive, buffer.baseAddress, buffer.count) == ARCHIVE_OK else {
                failure = unpacking.damaged("the archive cannot be opened")
                return
            }
            do throws(WalletError) { try unpacking.run() } catch { failure = error }
        }
        if let failure { throw failure }
        return unpacking.files
    }

    /// What can be said without libarchive, which would guess in these cases.
    private static func check(_ bytes: [UInt8], limits: PassPackage.Limits) throws(WalletError) {
        guard bytes.count <= limits.archiveBytes else {
            throw WalletError(.tooLarge, "the archive has \(bytes.count) bytes; \(limits.archiveBytes) are the limit")
        }
        guard PassPackage.looksLikeArchive(bytes) else {
            throw WalletError(
                .notAnArchive, bytes.isEmpty ? "the file is empty" : "not a zip archive",
                hint: "a .pkpass is a zip archive of pass.json, manifest.json, signature and images")
        }
        // End of central directory record: 22 bytes and a comment of up to 65,535 (APPNOTE.TXT 4.3.16).
        let end: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
        let first = max(0, bytes.count - 22 - 65_535)
        guard bytes.count >= 22, (first...bytes.count - 22).contains(where: { bytes[$0...].starts(with: end) }) else {
            throw WalletError(
                .truncatedArchive, "the archive is cut off: its directory at the end is missing",
                hint: "download or copy it again, in binary mode")
        }
    }

    fileprivate static let outOfMemory = WalletError(.damagedArchive, "libarchive has no memory")
}

/// One pass over an archive.
private struct Unpacking {
    let archive: OpaquePointer
    let archiveBytes: Int
    let limits: PassPackage.Limits
    var files: [String: [UInt8]] = [:]
    private var seen: Set<String> = []
    private var total = 0

    init(archive: OpaquePointer, archiveBytes: Int, limits: PassPackage.Limits) {
        (self.archive, self.archiveBytes, self.limits) = (archive, archiveBytes, limits)
    }

    mutating func run() throws(WalletError) {
        var entry: OpaquePointer?
        while true {
            let result = archive_read_next_header(archive, &entry)
            if result == ARCHIVE_EOF { return }
            // A warning is about a name's character set; the name is checked below.
            guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let entry else {
                throw damaged("an entry's header is damaged")
            }
            try take(entry)
        }
    }

    private mutating func take(_ entry: OpaquePointer) throws(WalletError) {
        let name = try PassEntryName.checked(Self.name(of: entry))
        guard seen.insert(name).inserted else {
            throw WalletError(.duplicateEntry, "two entries are named `\(name)`", hint: "pack the pass again")
        }
        guard seen.count <= limits.entries else {
            throw WalletError(.tooManyEntries, "the archive has more than \(limits.entries) entries")
        }
        // File types of <sys/stat.h>: 04 is a folder, 10 a regular file, 00 none given (octal, upper four bits).
        switch UInt32(archive_entry_filetype(entry)) {
        case 0o040000: return
        case 0o100000, 0: break
        case 0o120000: throw WalletError(.notAFile, "`\(name)` is a symbolic link", hint: "pack the file itself")
        default: throw WalletError(.notAFile, "`\(name)` is not a regular file")
        }
        guard archive_entry_is_encrypted(entry) == 0 else {
            throw WalletError(.encryptedArchive, "`\(name)` is encrypted", hint: "pack the pass without a password")
        }
        files[name] = try data(of: name)
    }

    private mutating func data(of name: String) throws(WalletError) -> [UInt8] {
        var data: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes { archive_read_data(archive, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw damaged("`\(name)` cannot be unpacked") }
            guard count > 0 else { return data }
            data += chunk.prefix(count)
            total += count
            try checkSize(name, data.count)
        }
    }

    private func checkSize(_ name: String, _ count: Int) throws(WalletError) {
        guard count <= limits.fileBytes else {
            throw WalletError(.tooLarge, "`\(name)` unpacks to more than \(limits.fileBytes) bytes")
        }
        guard total <= limits.totalBytes else {
            throw WalletError(.tooLarge, "the archive unpacks to more than \(limits.totalBytes) bytes")
        }
        guard total <= 1 << 20 || total / limits.ratio <= archiveBytes else {
            throw WalletError(
                .suspiciousCompression, "the archive unpacks to more than \(limits.ratio) times its size",
                hint: "it is no ordinary pass; nothing was kept")
        }
    }

    /// The name in UTF-8, or its bytes as they are when the archive does not say which character set it is in.
    private static func name(of entry: OpaquePointer) -> String {
        (archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)).map { String(cString: $0) } ?? ""
    }

    func damaged(_ what: String) -> WalletError {
        let detail = archive_error_string(archive).map { ": " + String(cString: $0) } ?? ""
        return WalletError(.damagedArchive, what + detail, hint: "pack or download it again")
    }
}
