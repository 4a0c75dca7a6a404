// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `Retry-After` (RFC 9110, 10.2.3): seconds, or one of the three forms of an HTTP date (5.6.7).
enum RetryAfter {
    /// Nobody waits longer because a server says so.
    static let limit = Duration.seconds(86_400)

    /// How long to wait from `now` on; nil when the field makes no sense.
    static func parse(_ field: String, now: Date) -> Duration? {
        let text = field.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int64(text).map { min(.seconds($0), limit) } ?? limit
        }
        guard text.utf8.count <= 64, let date = formats.lazy.compactMap({ date(text, $0) }).first else { return nil }
        let seconds = date.timeIntervalSince(now)
        return seconds <= 0 ? .zero : min(.milliseconds(Int64(min(seconds, 1e9) * 1000)), limit)
    }

    /// IMF-fixdate, RFC 850 and asctime.
    private static let formats = [
        "EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz", "EEE MMM d HH:mm:ss yyyy",
    ]

    private static func date(_ text: String, _ format: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter.date(from: text)
    }
}
