// SPDX-License-Identifier: Apache-2.0

/// A message of the stream, as the ledger takes it.
struct LedgerMessage {
    let subject: String
    let streamSequence: UInt64?
    let body: [UInt8]
}

/// What became of a batch.
struct LedgerBatch {
    /// How many events are new in the table.
    var stored = 0
    /// How many were there already.
    var known = 0
    /// Which messages are no events, by their place in the batch, and why.
    var rejected: [Int: String] = [:]
}

/// Writes batches of messages to PostgreSQL. When it returns they are committed.
struct LedgerStore {
    let connection: PostgresConnection
    let schema: LedgerSchema
    let stream: String

    /// Stores what is an event, and sets aside what is none.
    func store(_ messages: [LedgerMessage], by deadline: Deadline) throws(BrokerError) -> LedgerBatch {
        var batch = LedgerBatch()
        var rows: [(place: Int, row: LedgerRow)] = []
        for (place, message) in messages.enumerated() {
            do throws(LedgerRow.Malformed) {
                let row = try LedgerRow(
                    message.body, subject: message.subject, streamSequence: message.streamSequence)
                rows.append((place, row))
            } catch {
                batch.rejected[place] = error.reason
            }
        }
        try insert(rows, messages, &batch, by: deadline)
        for (place, reason) in batch.rejected.sorted(by: { $0.key < $1.key }) {
            try reject(messages[place], reason, by: deadline)
        }
        return batch
    }

    /// All at once; one by one when the server finds a value that does not fit.
    private func insert(
        _ rows: [(place: Int, row: LedgerRow)], _ messages: [LedgerMessage], _ batch: inout LedgerBatch,
        by deadline: Deadline
    ) throws(BrokerError) {
        guard !rows.isEmpty else { return }
        do throws(BrokerError) {
            guard let json = LedgerRow.json(rows.map { ($0.row, messages[$0.place].body) }) else {
                throw BrokerError(.invalidData, "it is not UTF-8")
            }
            let stored = try connection.run(schema.insert, [json], by: deadline).changed
            batch.stored += stored
            batch.known += rows.count - stored
        } catch {
            guard error.code == .invalidData else { throw error }
            guard rows.count > 1 else {
                batch.rejected[rows[0].place] = error.reason
                return
            }
            for row in rows { try insert([row], messages, &batch, by: deadline) }
        }
    }

    private func reject(_ message: LedgerMessage, _ reason: String, by deadline: Deadline) throws(BrokerError) {
        let sequence = message.streamSequence.map(String.init) ?? "0"
        let digits = Array("0123456789abcdef".utf8)
        let hex = message.body.prefix(1 << 20).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        // libpq and text columns take no byte of 0 and no broken UTF-8.
        let subject = String(message.subject.map { $0 == "\0" ? " " : $0 })
        try connection.run(
            schema.reject, [stream, sequence, subject, reason, String(decoding: hex, as: UTF8.self)], by: deadline)
    }
}
