// SPDX-License-Identifier: Apache-2.0

import CArchive
import Foundation

extension PassPackage {
    /// The files as a zip archive, in order of their names, the same bytes every time.
    ///
    /// It stands here and not in the test kit because this is the only target that imports libarchive.
    public func archived() throws(WalletError) -> [UInt8] {
        try PassArchive.pack(files.sorted { $0.key < $1.key }.map { PassArchive.Entry(name: $0.key, data: $0.value) })
    }

    /// Writes the package as a `.pkpass` file.
    public func write(to path: String) throws(WalletError) {
        let archive = try archived()
        do {
            try Data(archive).write(to: URL(fileURLWithPath: path))
        } catch {
            throw WalletError(.unreadableFile, "\(path): the file cannot be written")
        }
    }
}

extension PassArchive {
    /// Something to pack; tests pack what must be refused.
    struct Entry {
        var name: String
        var data: [UInt8] = []
        /// Makes the entry a symbolic link to this name.
        var linkTarget: String?
        var isFolder = false
    }

    static func pack(_ entries: [Entry]) throws(WalletError) -> [UInt8] {
        try UTF8Locale.run { () throws(WalletError) in try packInLocale(entries) }
    }

    private static func packInLocale(_ entries: [Entry]) throws(WalletError) -> [UInt8] {
        guard let archive = archive_write_new() else { throw failure }
        defer { archive_write_free(archive) }
        archive_write_set_format_zip(archive)
        archive_write_set_options(archive, "hdrcharset=UTF-8")
        // Deflate grows data by a few bytes per block at most; headers stand twice per entry.
        let size = entries.reduce(4_096) { $0 + $1.data.count * 9 / 8 + 2 * $1.name.utf8.count + 1_024 }
        var buffer = [UInt8](repeating: 0, count: size)
        let used = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { used.deallocate() }
        used.initialize(to: 0)
        // libarchive keeps both pointers until the archive is closed, so all of it happens in here.
        let isWritten = buffer.withUnsafeMutableBytes { bytes in
            guard archive_write_open_memory(archive, bytes.baseAddress, bytes.count, used) == ARCHIVE_OK else {
                return false
            }
            return entries.allSatisfy { append($0, to: archive) } && archive_write_close(archive) == ARCHIVE_OK
        }
        guard isWritten, used.pointee <= size else { throw failure }
        return Array(buffer.prefix(used.pointee))
    }

    private static func append(_ entry: Entry, to archive: OpaquePointer) -> Bool {
        guard let header = archive_entry_new() else { return false }
        defer { archive_entry_free(header) }
        archive_entry_set_pathname_utf8(header, entry.name)
        let type: UInt32 = entry.linkTarget != nil ? 0o120000 : entry.isFolder ? 0o040000 : 0o100000
        archive_entry_set_filetype(header, type)
        archive_entry_set_perm(header, entry.isFolder ? 0o755 : 0o644)
        // 1980-01-01, where zip's calendar begins: the same files give the same archive.
        archive_entry_set_mtime(header, 315_619_200, 0)
        if let target = entry.linkTarget {
            archive_entry_set_symlink(header, target)
        } else {
            archive_entry_set_size(header, Int64(entry.data.count))
        }
        guard archive_write_header(archive, header) >= ARCHIVE_WARN else { return false }
        guard entry.linkTarget == nil, !entry.data.isEmpty else { return true }
        return entry.data.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) } == entry.data.count
    }

    private static let failure = WalletError(.damagedArchive, "the archive cannot be written")
}
