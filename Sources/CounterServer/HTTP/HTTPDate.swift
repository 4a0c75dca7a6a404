// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ date: Date) -> String {
        // `1994-11-06T08:49:37Z`
        let iso = Array(date.formatted(.iso8601))
        // 1970-01-01 was a Thursday.
        let day = (Int((date.timeIntervalSince1970 / 86_400).rounded(.down)) + 4) % days.count
        guard iso.count == 20, days.indices.contains(day), let month = Int(String(iso[5...6])),
            months.indices.contains(month - 1)
        else { return "" }
        return
            "\(days[day]), \(String(iso[8...9])) \(months[month - 1]) \(String(iso[..<4])) \(String(iso[11...18])) GMT"
    }
}
