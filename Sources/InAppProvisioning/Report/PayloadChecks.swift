// SPDX-License-Identifier: Apache-2.0

import ISO7816

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Group J.
enum PayloadChecks {
    static func judge(_ flow: RecordedFlow, _ payload: PayloadFields, _ findings: inout Findings) {
        if let failure = payload.jsonFailure {
            findings.violate(.json, failure.description)
            return findings.skip(ConformanceCheck.payloadChecks, "the plaintext is not a JSON object")
        }
        findings.pass(.json)
        findings.expect(
            payload.otherKinds.isEmpty, .strings,
            payload.otherKinds.map { "\(Evidence.names([$0.name])) is \($0.kind)" }.joined(separator: ", "))
        findings.expect(
            payload.missingNames.isEmpty, .required, "missing: \(payload.missingNames.joined(separator: ", "))")
        findings.expect(
            payload.unknownNames.isEmpty, .knownNames, "unknown: \(Evidence.names(payload.unknownNames))")
        judgeNonce(flow, payload, &findings)
        judgeNumber(flow, payload, &findings)
        judgeExpiration(flow, payload, &findings)
        if let name = payload.texts["name"] { findings.expect(!name.trimmed.isEmpty, .name, "empty") }
        findings.skip(ConformanceCheck.payloadChecks, "the member is missing, or there is nothing to compare with")
    }

    private static func judgeNonce(_ flow: RecordedFlow, _ payload: PayloadFields, _ findings: inout Findings) {
        let pairs = [
            ("nonce", flow.request.nonce, ConformanceCheck.payloadNonce),
            ("nonceSignature", flow.request.nonceSignature, .payloadSignature),
        ]
        var hasUpperCase = false
        for (name, expected, check) in pairs {
            guard let text = payload.texts[name] else { continue }
            if let bytes = BlobEncoding.hex.decode(text) {
                findings.expect(
                    bytes == expected, check, "\(bytes.count) bytes, not the \(expected.count) of the request")
                hasUpperCase = hasUpperCase || text.utf8.contains { (0x41...0x46).contains($0) }
            } else {
                let guess = BlobEncoding.guesses(text).first.map { "; it looks like \($0.rawValue)" } ?? ""
                findings.violate(check, "not hex" + guess)
            }
        }
        findings.expect(!hasUpperCase, .hexCase, "upper case")
    }

    private static func judgeNumber(_ flow: RecordedFlow, _ payload: PayloadFields, _ findings: inout Findings) {
        if let text = payload.texts["encryptedPrimaryAccountNumber"] {
            let block = BlobEncoding.base64.decode(text)
            findings.expect(block?.isEmpty == false, .encryptedNumber, "not Base64")
            return findings.skip([.cardNumber, .rightCard, .suffix], "the network encrypted the number")
        }
        findings.skip([.encryptedNumber], "the number is in clear")
        guard let number = payload.texts["primaryAccountNumber"] else { return }
        guard CardNumber.isValid(number) else {
            findings.violate(
                .cardNumber,
                CardNumber.isNumeric(number) ? "\(number.count) digits, or a wrong check digit" : "not only digits")
            return findings.skip([.rightCard, .suffix], "the number is none")
        }
        let shown = flow.isUnmasked ? number : AccountNumber.masked(number)
        findings.pass(.cardNumber, shown)
        if let card = flow.card {
            guard number == card.primaryAccountNumber else {
                findings.violate(.rightCard, shown)
                return findings.skip([.suffix], "it is another card")
            }
            findings.pass(.rightCard)
        }
        if let suffix = flow.sheet?.suffix, !suffix.isEmpty {
            findings.expect(number.hasSuffix(suffix), .suffix, "the sheet says otherwise")
        }
    }

    private static func judgeExpiration(_ flow: RecordedFlow, _ payload: PayloadFields, _ findings: inout Findings) {
        guard let text = payload.texts["expiration"] else { return }
        guard let expiration = CardExpiration(text) else {
            findings.violate(.expiration, "\(text.utf8.count) characters in another form")
            return findings.skip([.notPast, .rightExpiration], "it cannot be read")
        }
        findings.pass(.expiration)
        findings.expect(!expiration.isPast(at: flow.date), .notPast, "it is past")
        if let card = flow.card {
            findings.expect(text == card.expiration, .rightExpiration, "another month")
        }
    }
}

extension CardExpiration {
    /// Whether the month is over everywhere on earth: two days after its end in UTC.
    func isPast(at date: Date) -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let next = month == 12 ? (year + 1, 1) : (year, month + 1)
        guard let end = calendar.date(from: DateComponents(year: next.0, month: next.1, day: 3)) else { return false }
        return date >= end
    }
}
