// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import CounterServer
internal import Foundation
internal import ISO7816
internal import ProximityReader

/// The result of a read as the tool shows it; what cannot be opened stays, with the reason.
struct ReadResultView {
    private let result: VASReadResult
    /// One for each entry.
    private let opened: [Opened]

    private struct Opened {
        var payload: PayloadView?
        var keyID: VASKeyID?
        var error: String?
        var freshness: VASFreshness.Verdict?
    }

    /// Opens what the ring can open, once.
    ///
    /// - Parameter judge: judges what was opened, and remembers it.
    init(_ result: VASReadResult, ring: VASKeyRing, judge: VASFreshness? = nil, now: Date = Date()) {
        self.result = result
        opened = result.entries.map { entry in
            var opened = Self.open(entry, ring)
            if let judge, let payload = opened.payload?.payload {
                let data = Array(entry.customerVASData ?? Data())
                opened.freshness = judge.check(payload, cryptogram: data, now: now)
            }
            return opened
        }
    }

    /// What is wrong with the first entry that is not fresh.
    var staleness: ToolError? { opened.lazy.compactMap { $0.freshness?.complaint }.first }

    /// Without any key nothing is tried, and nothing is wrong.
    private static func open(_ entry: VASReadResult.ReadEntry, _ ring: VASKeyRing) -> Opened {
        guard let data = entry.customerVASData else { return Opened() }
        guard !ring.keys.isEmpty else { return Opened(keyID: data.count >= 4 ? VASKeyID(data.prefix(4)) : nil) }
        switch ring.decrypt(Array(data), passTypeIdentifier: entry.id) {
        case .success(let payload): return Opened(payload: PayloadView(payload), keyID: payload.keyID)
        case .failure(let failure): return Opened(keyID: failure.keyID, error: failure.reason)
        }
    }

    private func statusWord(_ entry: VASReadResult.ReadEntry) -> StatusWord { StatusWord(rawValue: entry.statusWord) }

    var json: JSON {
        .object(["id": .string(result.id), "entries": .array(zip(result.entries, opened).map(json))])
    }

    private func json(_ entry: VASReadResult.ReadEntry, _ opened: Opened) -> JSON {
        .object([
            "id": .string(entry.id), "status": .string("\(entry.status)"),
            "statusWord": .string(statusWord(entry).description),
            "customerVASData": entry.customerVASData.map { .string($0.base64EncodedString()) } ?? .null,
            "message": opened.payload?.message ?? .null,
            "timestamp": opened.payload.map { .string($0.timestamp) } ?? .null,
            "keyId": opened.keyID.map { .string($0.description) } ?? .null,
            "method": opened.payload.map { .number($0.payload.method) },
            "messageHex": opened.payload.map { .string(Hex.encode($0.payload.message)) },
            "freshness": .optional(opened.freshness?.name),
            "error": .optional(opened.error),
        ])
    }

    func text(_ talk: Talk) -> [String] {
        zip(result.entries, opened).flatMap { entry, opened -> [String] in
            let word = statusWord(entry)
            let paint: Paint = entry.status == .success ? .green : .yellow
            var lines = ["\(entry.id): \(talk.paint("\(entry.status)", paint)) (\(word))"]
            if let payload = opened.payload {
                lines.append("  message:   \(payload.messageLine)")
                lines.append("  timestamp: \(payload.timestamp)")
            }
            if let freshness = opened.freshness { lines.append("  freshness: \(freshness.text)") }
            if let keyID = opened.keyID { lines.append("  key:       \(keyID)") }
            if let error = opened.error { lines.append("  error:     \(error)") }
            if opened.payload == nil, let data = entry.customerVASData {
                lines.append("  data:      \(data.base64EncodedString())")
            }
            if let advice = VASStatus(word).advice { lines.append("  hint:      \(advice)") }
            return lines
        }
    }
}
