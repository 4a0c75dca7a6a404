// SPDX-License-Identifier: Apache-2.0

/// Group P, as far as a sheet's texts show it.
enum SheetChecks {
    static func judge(_ flow: RecordedFlow, _ findings: inout Findings) {
        guard let sheet = flow.sheet else { return }
        let (name, suffix) = (sheet.cardholderName ?? "", sheet.suffix ?? "")
        if name.isEmpty, suffix.isEmpty {
            findings.violate(.nameOrSuffix, "neither")
            findings.skip([.nameAndSuffix, .suffixDigits], "neither")
        } else {
            findings.pass(.nameOrSuffix)
            findings.expect(!name.isEmpty && !suffix.isEmpty, .nameAndSuffix, name.isEmpty ? "no name" : "no suffix")
            if suffix.isEmpty {
                findings.skip([.suffixDigits], "no suffix")
            } else {
                findings.expect(
                    (4...5).contains(suffix.count) && CardNumber.isNumeric(suffix), .suffixDigits,
                    "\(suffix.count) characters")
            }
        }
        findings.expect(sheet.network?.isEmpty == false, .network, "no network")
        let texts = [name, suffix] + sheet.otherTexts
        findings.expect(
            !texts.contains { CardNumber.isContained(in: $0) }, .noCardNumber, "a text has digits that pass as one")
        if flow.scheme == .eccV2 { findings.pass(.scheme) }
    }
}

/// Group H, as far as times show it.
enum HandlerChecks {
    static func judge(_ flow: RecordedFlow, _ findings: inout Findings) {
        guard let handler = flow.handler else { return }
        let calls = handler.calls.sorted()
        let end = min(handler.limit, handler.cancelled ?? .infinity)
        if let first = calls.first {
            if let cancelled = handler.cancelled, first > cancelled {
                findings.skip([.handlerInTime, .handlerNotLate], "the flow was over before the call")
            } else if first > handler.limit {
                findings.violate(.handlerNotLate, "called after \(seconds(first))")
                findings.skip([.handlerInTime], "the call was late")
            } else {
                findings.pass(.handlerInTime, "called after \(seconds(first))")
                findings.pass(.handlerNotLate)
            }
        } else if handler.cancelled == nil {
            findings.violate(.handlerInTime, "never called")
            findings.skip([.handlerNotLate, .handlerOnce, .handlerNotAfterCancel], "never called")
        }
        if let cancelled = handler.cancelled {
            findings.expect(
                !calls.contains { $0 > cancelled }, .handlerNotAfterCancel, "called after the flow was over")
        } else if !calls.isEmpty {
            findings.pass(.handlerNotAfterCancel)
        }
        let inTime = calls.count { $0 <= end }
        if !calls.isEmpty {
            findings.expect(calls.count == 1 || inTime == 0, .handlerOnce, "called \(calls.count) times")
        }
    }

    static func seconds(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e6 else { return "a long time" }
        return "\(Double(Int(value * 1000)) / 1000) s"
    }
}
