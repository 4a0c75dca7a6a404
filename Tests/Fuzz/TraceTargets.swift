// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import ISO7816

/// Any text: an importer reads it or says where it is wrong; what it read can be written and read again.
@Sendable func fuzzTraceImport(_ bytes: [UInt8]) {
    guard let trace = try? TraceImport(bytes).trace else { return }
    let again = try? APDUTrace(parsing: trace.text())
    precondition(again?.taps.map(\.exchanges) == trace.taps.map(\.exchanges), "an imported trace is not written whole")
    _ = PcapWriter.bytes(of: trace)
}

/// A number planted among any bytes, in half bytes or characters, is gone afterwards; redacting twice is once.
@Sendable func fuzzRedaction(_ bytes: [UInt8]) {
    guard bytes.count >= 16 else { return }
    let account = plantedAccount(bytes.prefix(14))
    let rest = Array(bytes.dropFirst(14).prefix(400))
    let place = Int(rest[0]) % rest.count
    let digits = rest[1].isMultiple(of: 2) ? Array(account.utf8) : packed(account, isOdd: rest[1] & 2 != 0)
    // Bytes that are no digits on either side: a number inside longer digits is found by its scheme alone.
    let data: [UInt8] = Array(rest[..<place]) + [0xEE] + digits + [0xEE] + Array(rest[place...])
    // Nor is it a number when tags and lengths of objects stand among its digits.
    let planted = place + 1..<place + 1 + digits.count
    let objects = LooseTLV(data, in: 0..<data.count)
    let parts = objects.leaves.map(\.value) + objects.loose
    guard parts.contains(where: { $0.lowerBound <= planted.lowerBound && planted.upperBound <= $0.upperBound })
    else { return }
    var trace = APDUTrace()
    trace.taps = [
        APDUTrace.Tap(exchanges: [TraceExchange(command: [0, 0xB2, 1, 0x0C, 0], response: data + [0x90, 0])])
    ]
    let redacted = TraceRedactor.standard.redact(trace)
    let answer = redacted.exchanges[0].response
    precondition(answer.count == data.count + 2, "redacting changed a length")
    let hex = Hex.encode(answer)
    precondition(!hex.contains(account) && !hex.contains(Hex.encode(Array(account.utf8))), "a planted number survived")
    precondition(TraceRedactor.standard.redact(redacted) == redacted, "redacting twice is not once")
}

/// Sixteen digits with a scheme's beginning and a right check digit, outside the published test numbers.
private func plantedAccount(_ bytes: ArraySlice<UInt8>) -> String {
    let start = ["4929", "5375", "2720", "6504", "3530"][Int(bytes.first ?? 0) % 5]
    let body = start + bytes.dropFirst().prefix(11).map { String($0 % 10) }.joined()
    return (0...9).map { body + String($0) }.first(where: AccountNumber.isLuhnValid) ?? body
}

private func packed(_ account: String, isOdd: Bool) -> [UInt8] {
    (try? Hex.decode(isOdd ? "E" + account + "E" : account)) ?? []
}
