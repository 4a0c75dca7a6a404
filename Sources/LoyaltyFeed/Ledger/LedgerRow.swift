// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// One event as the ledger keeps it.
struct LedgerRow: Encodable, Hashable {
    let id: String
    let tap: String
    let counter: String
    let source: String
    let type: String
    let sequence: Int64
    let time: String
    let passType: String?
    let member: String?
    let subject: String
    let streamSequence: Int64?

    /// The columns' names.
    private enum CodingKeys: String, CodingKey {
        case id, tap, counter, source, type, sequence, time, member, subject
        case passType = "pass_type"
        case streamSequence = "stream_sequence"
    }

    /// What is looked at in an event; all else stays in the body.
    private struct Event: Decodable {
        struct Data: Decodable { var member: String? }
        var specversion: String
        var id: String
        var source: String
        var type: String
        var time: String
        var sequence: String
        var subject: String?
        var correlationid: String?
        var data: Data?
    }

    /// Why a message is no event.
    struct Malformed: Error, Hashable { let reason: String }

    /// The longest `source` and `type`, in bytes: far more than ours, far less than an index of PostgreSQL takes.
    static let attributeLimit = 512

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - body: the CloudEvents document.
    ///   - subject: the NATS subject it came with.
    ///   - streamSequence: where it stands in its stream.
    init(_ body: [UInt8], subject: String, streamSequence: UInt64?) throws(Malformed) {
        guard let event = try? JSONDecoder().decode(Event.self, from: Data(body)) else {
            throw Malformed(reason: "it is no JSON object with the attributes of a CloudEvent")
        }
        guard event.specversion == "1.0" else { throw Malformed(reason: "specversion is not 1.0") }
        guard let id = ULID(event.id) else { throw Malformed(reason: "id is no ULID") }
        guard let tap = ULID(event.correlationid ?? event.id) else {
            throw Malformed(reason: "correlationid is no ULID")
        }
        guard (1...20).contains(event.sequence.utf8.count), let sequence = Int64(event.sequence), sequence >= 0 else {
            throw Malformed(reason: "sequence is no number")
        }
        guard Self.isTime(event.time) else { throw Malformed(reason: "time is no time of RFC 3339 in UTC") }
        let counter = event.source.split(separator: "/").last.map(String.init) ?? ""
        guard !counter.isEmpty, !event.type.isEmpty else { throw Malformed(reason: "source or type is empty") }
        guard max(event.source.utf8.count, event.type.utf8.count) <= Self.attributeLimit else {
            throw Malformed(reason: "source or type has more than \(Self.attributeLimit) bytes")
        }
        (self.id, self.tap, self.counter) = (id.description, tap.description, counter)
        (source, type, self.sequence, time) = (event.source, event.type, sequence, event.time)
        (passType, member) = (event.subject, event.data?.member)
        self.subject = subject
        self.streamSequence = streamSequence.flatMap { Int64(exactly: $0) }
    }

    /// RFC 3339 as our own events have it, `2026-11-21T01:40:00.123Z`; what PostgreSQL takes besides is none.
    static func isTime(_ text: String) -> Bool {
        text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z/) != nil
    }

    /// A JSON array of rows with their bodies as they came: `jsonb_to_recordset` reads it.
    static func json(_ rows: [(row: LedgerRow, body: [UInt8])]) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        var text: [UInt8] = [UInt8(ascii: "[")]
        for (index, (row, body)) in rows.enumerated() {
            guard var object = try? Array(encoder.encode(row)), object.popLast() == UInt8(ascii: "}") else {
                return nil
            }
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += object + Array(",\"body\":".utf8) + body + [UInt8(ascii: "}")]
        }
        text.append(UInt8(ascii: "]"))
        // A byte of 0 would end the text for libpq; JSON never has one.
        return text.contains(0) ? nil : String(validating: text, as: UTF8.self)
    }
}
