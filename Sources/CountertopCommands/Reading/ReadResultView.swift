// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import Foundation
internal import ISO7816
internal import ProximityReader

/// The result of a read as the tool shows it; what cannot be opened stays, with the reason.
struct ReadResultView {
    let result: VASReadResult
    let ring: VASKeyRing

    private struct Opened {
        var payload: PayloadView?
        var keyID: VASKeyID?
        var error: String?
    }

    /// Without any key nothing is tried, and nothing is wrong.
    private func open(_ entry: VASReadResult.ReadEntry) -> Opened {
        guard let data = entry.customerVASData else { return Opened() }
        guard !ring.keys.isEmpty else { return Opened(keyID: data.count >= 4 ? VASKeyID(data.prefix(4)) : nil) }
        switch ring.decrypt(Array(data), passTypeIdentifier: entry.id) {
        case .success(let payload): return Opened(payload: PayloadView(payload), keyID: payload.keyID)
        case .failure(let failure): return Opened(keyID: failure.keyID, error: failure.reason)
        }
    }

    private func statusWord(_ entry: VASReadResult.ReadEntry) -> StatusWord { StatusWord(rawValue: entry.statusWord) }

    var json: JSON {
        .object(["id": .string(result.id), "entries": .array(result.entries.map(json))])
    }

    private func json(_ entry: VASReadResult.ReadEntry) -> JSON {
        let opened = open(entry)
        return .object([
            "id": .string(entry.id), "status": .string("\(entry.status)"),
            "statusWord": .string(statusWord(entry).description),
            "customerVASData": entry.customerVASData.map { .string($0.base64EncodedString()) } ?? .null,
            "message": opened.payload?.message ?? .null,
            "timestamp": opened.payload.map { .string($0.timestamp) } ?? .null,
            "keyId": opened.keyID.map { .string($0.description) } ?? .null,
            "method": opened.payload.map { .number($0.payload.method) },
            "messageHex": opened.payload.map { .string(Hex.encode($0.payload.message)) },
            "error": .optional(opened.error),
        ])
    }

    func text(_ talk: Talk) -> [String] {
        result.entries.flatMap { entry -> [String] in
            let opened = open(entry)
            let word = statusWord(entry)
            let paint: Paint = entry.status == .success ? .green : .yellow
            var lines = ["\(entry.id): \(talk.paint("\(entry.status)", paint)) (\(word))"]
            if let payload = opened.payload {
                lines.append("  message:   \(payload.messageLine)")
                lines.append("  timestamp: \(payload.timestamp)")
            }
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
