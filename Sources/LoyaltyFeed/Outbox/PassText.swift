// SPDX-License-Identifier: Apache-2.0

internal import WalletCrypto

/// The passes of a tap as the outbox keeps them: a JSON array. Cryptograms are kept with their event only.
enum PassText {
    static func write(_ passes: [PassRecord]) -> String {
        if passes.isEmpty { return "[]" }
        let bytes = JSONText.array(passes) { pass, text in
            text.member("type", pass.passTypeIdentifier)
            text.member("status", number: Double(pass.statusWord))
            switch pass.outcome {
            case .read(let member, let keyID, let deviceTime):
                text.member("member", member)
                text.member("key", keyID)
                text.member("time", number: Double(EventTime.milliseconds(deviceTime)))
            case .parked(_, let keyID): text.member("parked", keyID.isEmpty ? "unknown" : keyID)
            case .failed(let code, let reason):
                text.member("failed", code.isEmpty ? "unknown" : code)
                text.member("reason", reason)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What was written; nothing for what this version cannot read.
    static func read(_ text: String) -> [PassRecord] {
        guard text != "[]", let elements = (try? JSONReader.read(Array(text.utf8)))?.elements else { return [] }
        return elements.compactMap { value in
            guard let type = value["type"]?.text else { return nil }
            return PassRecord(
                passTypeIdentifier: type, statusWord: UInt16(exactly: number(value["status"]) ?? 0) ?? 0,
                outcome: outcome(value))
        }
    }

    private static func outcome(_ value: JSONValue) -> PassRecord.Outcome {
        if let keyID = value["parked"]?.text { return .parked(cryptogram: [], keyID: keyID) }
        if let code = value["failed"]?.text { return .failed(code: code, reason: value["reason"]?.text ?? "") }
        let time = number(value["time"]) ?? 0
        return .read(
            member: value["member"]?.text, keyID: value["key"]?.text ?? "",
            deviceTime: EventTime.date(milliseconds: time))
    }

    private static func number(_ value: JSONValue?) -> Int64? {
        if case .number(let text)? = value { Int64(text) } else { nil }
    }
}

extension Duration {
    /// Whole milliseconds, rounded down; held within what 64 bits have.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? Int64.min / 2 : Int64.max / 2) : whole + attoseconds / 1_000_000_000_000_000
    }
}
