// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The last online session, as the store's directory remembers it: `online.json`. What a store-and-forward session is
/// measured by.
struct OnlineRecord: Codable, Hashable, Sendable {
    static let fileName = "online.json"
    /// For how long an online session allows reads offline (Apple documentation, store and forward).
    static let validity: TimeInterval = 24 * 3_600
    /// How far a clock may have been set back since.
    static let skew: TimeInterval = 300

    /// Seconds since 1970.
    var at: Double
    /// The machine's boot identifier then.
    var boot: String
    /// Who issued the token.
    var issuer: String
    /// The token's merchant.
    var merchant: String

    var expiration: Date { Date(timeIntervalSince1970: at + Self.validity) }

    func isFresh(at date: Date) -> Bool {
        let age = date.timeIntervalSince1970 - at
        return age >= -Self.skew && age < Self.validity
    }

    /// The record in a directory; nil when there is none or it cannot be read.
    static func load(from directory: String) -> OnlineRecord? {
        let path = directory + "/" + fileName
        return FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Self.self, from: $0) }
    }

    /// Writes the record, which needs no lock: whoever was online last counts.
    func save(to directory: String) throws(StoreFailure) {
        guard let json = try? JSONEncoder().encode(self) else { return }
        let place = try StoreDirectory(directory)
        let saved = json.withUnsafeBytes { bytes in
            Result { () throws(StoreFailure) in try place.replace(Self.fileName, with: bytes) }
        }
        try saved.get()
    }
}

/// What tells one start of the machine from the next.
enum BootID {
    /// Linux's random identifier of this boot (proc(5), `/proc/sys/kernel/random/boot_id`); nil where there is none.
    static func current() -> String? {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let line = text.prefix { !$0.isWhitespace }
        return line.isEmpty ? nil : String(line)
    }
}
