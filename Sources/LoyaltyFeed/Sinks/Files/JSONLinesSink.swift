// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import WalletCrypto

/// One event a line (JSON Lines), in a file or on standard output.
///
/// A file's lines are on the disk before they are reported. After a crash between the two, the events come again: those
/// whose ids stand in the file's last lines are not written twice.
public final class JSONLinesSink: Sink {
    /// `type = "jsonl"`.
    public static let type = SinkType(
        "jsonl", help: "one event a line, in a file or on standard output", source: "jsonlines.org",
        settings: [SinkSetting("path", .path, required: true, "the file; \"-\" for standard output")]
    ) { settings throws(SettingError) in
        guard let path = settings.path("path") else { throw SettingError("path", "is missing") }
        return JSONLinesSink(name: settings.name, path: path)
    }

    /// The name from the configuration.
    public let name: String
    /// 100 events, one sync.
    public let batchLimit = 100

    private let isStandardOutput: Bool
    private let file: Mutex<OpenLines>
    /// Syncing a disk takes its time; the tasks of others go on.
    private let queue: DispatchQueue

    /// A sink that appends to the file at `path`, or writes to standard output when that is `-`.
    public init(name: String, path: String) {
        (self.name, isStandardOutput) = (name, path == "-")
        // Half an object; a whole one that only lacks its line end stays. A brace at the end may close an inner one.
        let file = LineFile(path: path) { half in
            half.first == UInt8(ascii: "{") && (try? JSONReader.read(half))?.members == nil
        }
        self.file = Mutex(OpenLines(file: file))
        queue = DispatchQueue(label: "sink.\(name)")
    }

    /// Appends the events' lines.
    public func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        await onQueue {
            self.isStandardOutput ? self.print(events) : self.file.withLock { $0.append(events) }
        }
    }

    /// Closes the file.
    public func close() async {
        await onQueue { self.file.withLock { $0.file.close() } }
    }

    private func onQueue<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }

    private func print(_ events: [OutgoingEvent]) -> [DeliveryReport] {
        do throws(LineFile.Failure) {
            try writeAll(events.flatMap { $0.body + [0x0A] }, to: STDOUT_FILENO)
            return events.map { _ in DeliveryReport(.delivered, detail: "written to standard output") }
        } catch {
            return events.map { _ in
                DeliveryReport(.unavailable(retryAfter: nil), detail: "standard output: \(error.description)")
            }
        }
    }
}

/// The open file, and which events its end holds already.
private struct OpenLines: ~Copyable {
    /// A batch, which is what a crash leaves unreported.
    static let tailLines = 100
    /// And no more than this, should lines be huge: twice a hundred events with the largest baskets.
    static let tailLimit = 4 << 20

    var file: LineFile
    /// The ids in the last lines of the file as it was opened, each until its event came again.
    var present: Set<ULID> = []

    mutating func append(_ events: [OutgoingEvent]) -> [DeliveryReport] {
        do throws(LineFile.Failure) {
            if let tail = try file.open(tailLines: Self.tailLines, limit: Self.tailLimit) { present = ids(in: tail) }
            let new = events.filter { !present.contains($0.event.id) }
            if !new.isEmpty { try file.append(new.flatMap { $0.body + [0x0A] }) }
            // Others of them may come later: events aside go out before the head.
            defer { present.subtract(events.map(\.event.id)) }
            return events.map { event in
                let isOld = present.contains(event.event.id)
                return DeliveryReport(.delivered, detail: isOld ? "stands in the file already" : "written and synced")
            }
        } catch {
            return events.map { _ in
                DeliveryReport(.unavailable(retryAfter: nil), detail: error.description)
            }
        }
    }

    private func ids(in lines: [[UInt8]]) -> Set<ULID> {
        Set(
            lines.compactMap { line in
                let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                return (object?["id"] as? String).flatMap(ULID.init)
            })
    }
}
