// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LoyaltyFeed

@Suite struct RetryAfterTests {
    /// The moment of RFC 9110's own examples, 5.6.7: Sun, 06 Nov 1994 08:49:37 GMT.
    static let moment = 784_111_777.0

    @Test(arguments: [
        ("0", 0), ("120", 120), (" 7 ", 7), ("86400", 86_400), ("86401", 86_400), ("99999999999999999999999", 86_400),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 60), ("Sunday, 06-Nov-94 08:49:37 GMT", 60), ("Sun Nov  6 08:49:37 1994", 60),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
    ]) func `seconds and dates`(_ text: String, _ seconds: Int64) {
        let now = Date(timeIntervalSince1970: Self.moment - 60)
        #expect(RetryAfter.parse(text, now: now) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "soon", "-1", "1.5", "1e3", "٣", "Sun, 99 Nov 1994 08:49:37 GMT", String(repeating: "9", count: 70) + "x",
    ])
    func `nonsense is no time`(_ text: String) { #expect(RetryAfter.parse(text, now: Date()) == nil) }

    @Test func `every status has a meaning, and only 2xx is success`() {
        for status in 100..<1000 {
            let report = AnswerTable.report(status: status, retryAfter: .seconds(5))
            #expect((report.verdict == .delivered) == (200..<300).contains(status))
            #expect((report.verdict == .disabled) == (status == 410))
            #expect(
                report.status == status && report.detail.hasPrefix("HTTP \(status): ") && !report.detail.hasSuffix("."))
            let waits = report.verdict == .unavailable(retryAfter: .seconds(5))
            #expect(waits == [408, 425, 429, 502, 503, 504].contains(status))
        }
    }
}
