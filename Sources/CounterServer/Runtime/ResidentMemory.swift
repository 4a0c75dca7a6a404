// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The memory that the process holds without using it.
///
/// For each page of code that is touched the kernel maps sixteen (fault-around: `do_fault_around` in mm/memory.c), so
/// after its start half of the program and its libraries is resident, though hardly any of that runs again. A counter
/// runs for months on a small machine beside other programs.
enum ResidentMemory {
    /// Gives pages of code back. What is needed again comes back from the page cache,
    /// without being read from the disk (madvise(2), `MADV_DONTNEED` on a file's private mapping that was never written).
    static func giveBack() {
        #if os(Linux)
            for range in ownCode() {
                madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
            }
        #endif
    }

    /// Where this process's code is mapped.
    static func ownCode() -> [Range<UInt>] {
        // Read to the end: the kernel gives a page at a time, of a file without a size.
        let file = FileHandle(forReadingAtPath: "/proc/self/maps")
        guard let maps = try? file?.readToEnd() else { return [] }
        return codeRanges(String(decoding: maps, as: UTF8.self))
    }

    /// Where code of files is mapped, by the lines of /proc/PID/maps (proc(5)): readable, executable, private, and never
    /// writable, so that nothing of it exists in memory alone.
    static func codeRanges(_ maps: String) -> [Range<UInt>] {
        maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { return nil }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
        }
    }
}

/// Looks from time to time whether the counter rests, and gives memory back when it does.
struct Rest: Sendable {
    /// After the start, and between two looks.
    static let (first, pause) = (Duration.seconds(5), Duration.seconds(60))

    /// The number of the last tap.
    let lastTap: @Sendable () -> Int64
    let giveBack: @Sendable () -> Void
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Until the task is cancelled. Once after the start, and once whenever nobody has tapped since the last look.
    func run() async {
        guard (try? await sleep(Self.first)) != nil else { return }
        var (seen, done) = (lastTap(), Int64?.none)
        while true {
            let now = lastTap()
            if now == seen, now != done {
                giveBack()
                done = now
            }
            seen = now
            guard (try? await sleep(Self.pause)) != nil else { return }
        }
    }
}
