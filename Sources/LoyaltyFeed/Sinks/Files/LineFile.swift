// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file of lines that only grows: what was appended is on the disk when ``append(_:)`` returns.
///
/// A file that was moved away is left alone, and a new one is begun. Not safe against itself; one owner.
struct LineFile: ~Copyable {
    /// What the system said.
    struct Failure: Error, Hashable, Sendable {
        let number: Int32
        let operation: String

        var description: String { "\(operation): \(String(cString: strerror(number)))" }
    }

    private let path: String
    /// Whether half a line at the end is half of ours, so that it may be cut off.
    private let isOurs: @Sendable ([UInt8]) -> Bool
    private var descriptor: Int32 = -1

    init(path: String, isOurs: @escaping @Sendable ([UInt8]) -> Bool) { (self.path, self.isOurs) = (path, isOurs) }

    deinit { if descriptor >= 0 { closeFile(descriptor) } }

    /// How much is read back at a time.
    static let piece = 1 << 16

    /// Opens the file, or a new one when it was moved, and returns its last lines; nil when it was open already.
    ///
    /// - Parameters:
    ///   - tailLines: how many lines at most.
    ///   - limit: how many bytes at most; a line that begins before them is left out.
    mutating func open(tailLines: Int, limit: Int) throws(Failure) -> [[UInt8]]? {
        if descriptor >= 0, isSameFile() { return nil }
        close()
        // Without O_NONBLOCK the opening of a FIFO would wait for a reader.
        let opened = openFile(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw Failure(number: errno, operation: "the file cannot be opened") }
        descriptor = opened
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close()
            throw Failure(number: EINVAL, operation: "it is no plain file")
        }
        do throws(Failure) {
            let lines = try mendedTail(size: Int(status.st_size), lines: tailLines, limit: limit)
            try syncFolder()
            return lines.suffix(tailLines)
        } catch {
            close()
            throw error
        }
    }

    /// Appends whole lines and waits for the disk. After a failure the file is as long as before, where that is
    /// possible; else the next opening mends it.
    mutating func append(_ bytes: [UInt8]) throws(Failure) {
        let before = lseek(descriptor, 0, SEEK_END)
        do throws(Failure) {
            try writeAll(bytes, to: descriptor)
            guard fsync(descriptor) == 0 else { throw Failure(number: errno, operation: "it cannot be synced") }
        } catch {
            if before >= 0 { ftruncate(descriptor, before) }
            close()
            throw error
        }
    }

    mutating func close() {
        if descriptor >= 0 { closeFile(descriptor) }
        descriptor = -1
    }

    private func isSameFile() -> Bool {
        var (named, held) = (stat(), stat())
        return stat(path, &named) == 0 && fstat(descriptor, &held) == 0 && named.st_ino == held.st_ino
            && named.st_dev == held.st_dev
    }

    /// A crash may leave half a line at the end. Half of ours is cut off, since it was never reported and comes again;
    /// anything else only gets its line end.
    private func mendedTail(size: Int, lines wanted: Int, limit: Int) throws(Failure) -> [[UInt8]] {
        let tail = try self.tail(size: size, lines: wanted, limit: limit)
        var lines = tail.split(separator: 0x0A, omittingEmptySubsequences: true).map(Array.init)
        if tail.count < size, !lines.isEmpty { lines.removeFirst() }
        guard tail.last.map({ $0 != 0x0A }) ?? false else { return lines }
        let half = tail.lastIndex(of: 0x0A).map { Array(tail[($0 + 1)...]) } ?? tail
        guard half.count < limit, isOurs(half) else {
            try writeAll([0x0A], to: descriptor)
            return lines
        }
        guard ftruncate(descriptor, off_t(size - half.count)) == 0 else {
            throw Failure(number: errno, operation: "its last line cannot be mended")
        }
        return lines.dropLast()
    }

    /// The end of the file: so many lines and what stands before and after them in the pieces that were read.
    private func tail(size: Int, lines wanted: Int, limit: Int) throws(Failure) -> [UInt8] {
        var pieces: [[UInt8]] = []
        var (start, ends) = (size, 0)
        // One line end more than lines: the one before the first of them.
        while start > 0, ends <= wanted, size - start < limit {
            let from = max(0, start - min(Self.piece, limit - (size - start)))
            let piece = try read(from: from, count: start - from)
            ends += piece.count { $0 == 0x0A }
            pieces.append(piece)
            start = from
        }
        return Array(pieces.reversed().joined())
    }

    private func read(from start: Int, count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(start + filled))
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw Failure(number: got < 0 ? errno : EIO, operation: "it cannot be read") }
            filled += got
        }
        return bytes
    }

    /// A new file's name is on the disk only when its folder is.
    private func syncFolder() throws(Failure) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let opened = openFile(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw Failure(number: errno, operation: "its folder cannot be opened") }
        defer { closeFile(opened) }
        // Some file systems know no sync of folders (EINVAL); there is nothing to be done about it.
        guard fsync(opened) == 0 || errno == EINVAL else {
            throw Failure(number: errno, operation: "its folder cannot be synced")
        }
    }
}

/// Writes every byte.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(LineFile.Failure) {
    var written = 0
    while written < bytes.count {
        let count = bytes.withUnsafeBytes { buffer in
            write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw LineFile.Failure(number: errno, operation: "it cannot be written") }
        written += count
    }
}

// Inside `LineFile` the names of the C functions mean its own.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }
