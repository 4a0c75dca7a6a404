// SPDX-License-Identifier: Apache-2.0

internal import WalletCrypto

internal import struct Foundation.Date

/// Why bytes are no event. The text never holds what stands in them.
public struct EventError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member that is wrong, such as `data.reader.name`; nil when the bytes are no JSON object.
    public let member: String?
    /// What is wrong, in one sentence without a full stop.
    public let reason: String
    /// Where in the bytes, if that is known.
    public let offset: Int?

    /// An error from its parts.
    public init(member: String? = nil, _ reason: String, offset: Int? = nil) {
        (self.member, self.reason, self.offset) = (member, reason, offset)
    }

    /// One line.
    public var description: String { (member.map { "\($0): " } ?? "") + reason }
}

extension TapEvent {
    /// The largest body that is read, in bytes; ours are far smaller (Standard Webhooks asks for some 20 kB).
    public static let bodyLimit = 1 << 17
    /// The largest basket, in bytes as it is kept, so that a body stays small.
    public static let basketLimit = 1 << 14
    /// The longest message of a pass, in bytes: Apple documents 64 for the `message` of a pass's `nfc` dictionary. A
    /// longer one comes from something that is no Wallet.
    public static let messageLimit = 1024

    /// The event as one JSON text on one line: a CloudEvents 1.0 envelope in structured mode, whose `type`, `timestamp`
    /// and `data` make it a Standard Webhooks payload too. The schema is `Schema/tap-event.v1.schema.json`.
    ///
    /// Times are given to the millisecond, `data.deviceTime` to the second, ``latencyMilliseconds`` to the thousandth.
    /// A ``basket`` that is no JSON object is left out.
    public var body: [UInt8] {
        JSONText.object { text in
            let time = EventTime.text(self.time)
            text.member("specversion", "1.0")
            text.member("id", id.description)
            text.member("source", source)
            text.member("type", kind.rawValue)
            text.member("time", time)
            text.member("timestamp", time)
            text.member("subject", passTypeIdentifier)
            text.member("partitionkey", partitionKey)
            text.member("sequence", Self.digits(of: sequence))
            text.member("correlationid", tap.description)
            text.member("datacontenttype", "application/json")
            text.member("data") { writeData(to: &$0) }
        }
    }

    private func writeData(to text: inout JSONText) {
        text.member("wallet", wallet)
        text.member("member", member)
        text.member("passTypeId", passTypeIdentifier)
        text.member("keyId", keyID)
        text.member("deviceTime", deviceTime.map { EventTime.text($0, fraction: false) })
        text.member("mode", mode)
        if let payment {
            text.member("payment") { text in
                text.member("scheme", payment.scheme)
                text.member("outcome", payment.outcome)
            }
        }
        text.member("reader") { $0.member("name", readerName) }
        text.member("latencyMs", number: latencyMilliseconds)
        if let basket, let kept = Self.basketText(basket) { text.member("basket", json: kept.utf8) }
    }

    /// CloudEvents `sequence` compares as text: 20 digits hold every 64-bit number.
    private static func digits(of sequence: UInt64) -> String {
        let digits = String(sequence)
        return String(repeating: "0", count: 20 - digits.count) + digits
    }

    /// A JSON object without blanks, as it is kept; nil when it is none, or too large.
    static func basketText(_ json: String) -> String? {
        var limits = JSONReader.Limits()
        (limits.bytes, limits.depth) = (basketLimit * 4, 16)
        guard let value = try? JSONReader.read(Array(json.utf8), limits: limits), value.members != nil else {
            return nil
        }
        let kept = value.utf8
        return kept.count <= basketLimit ? String(decoding: kept, as: UTF8.self) : nil
    }

    /// What a pass's message is as text: nil when it is not UTF-8, empty, or has control characters or line ends.
    public static func text(ofMessage message: [UInt8]) -> String? {
        guard !message.isEmpty, let text = String(validating: message, as: UTF8.self) else { return nil }
        let unwanted: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
        return text.unicodeScalars.contains { unwanted.contains($0.properties.generalCategory) } ? nil : text
    }
}

extension TapEvent {
    /// Reads a body back: strictly where this version knows a member, and past members that it does not know.
    ///
    /// - Parameter body: a CloudEvents document of at most ``bodyLimit`` bytes.
    /// - Throws: ``EventError``, naming the member; any bytes may be given.
    public init(body: [UInt8]) throws(EventError) {
        let document = try EventDocument(body)
        guard try document.text("specversion") == "1.0" else {
            throw EventError(member: "specversion", "only CloudEvents 1.0 is read")
        }
        if let type = try document.optionalText("datacontenttype"), type != "application/json" {
            throw EventError(member: "datacontenttype", "the data must be application/json")
        }
        guard let sequence = Self.sequence(try document.text("sequence")) else {
            throw EventError(member: "sequence", "a sequence has 20 digits")
        }
        let time = try document.time("time")
        guard try document.optionalText("timestamp").map({ EventTime.date($0) == time }) ?? true else {
            throw EventError(member: "timestamp", "timestamp and time differ")
        }
        self.init(
            id: try document.ulid("id"), source: try document.text("source"),
            kind: Kind(rawValue: try document.text("type")), time: time, sequence: sequence,
            readerName: try document.text("data.reader.name"), mode: try document.text("data.mode"),
            latencyMilliseconds: try document.number("data.latencyMs"))
        try readOptional(document)
    }

    private mutating func readOptional(_ document: EventDocument) throws(EventError) {
        if try document.optionalText("correlationid") != nil { tap = try document.ulid("correlationid") }
        passTypeIdentifier = try document.optionalText("subject")
        guard try document.optionalText("data.passTypeId") == passTypeIdentifier else {
            throw EventError(member: "data.passTypeId", "subject and passTypeId differ")
        }
        partitionKey = try document.optionalText("partitionkey")
        wallet = try document.text("data.wallet")
        member = try document.optionalText("data.member")
        keyID = try document.optionalText("data.keyId")
        if try document.optionalText("data.deviceTime") != nil { deviceTime = try document.time("data.deviceTime") }
        if document.has("data.payment") {
            payment = Payment(
                scheme: try document.text("data.payment.scheme"), outcome: try document.text("data.payment.outcome"))
        }
        basket = try document.object("data.basket")
    }

    private static func sequence(_ text: String) -> UInt64? {
        text.utf8.count == 20 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
    }
}

extension OutgoingEvent {
    /// An event with the body that it makes.
    public init(_ event: TapEvent) { self.init(event: event, body: event.body) }

    /// A body with the event that it holds.
    public init(body: [UInt8]) throws(EventError) { self.init(event: try TapEvent(body: body), body: body) }
}

/// A body's members by path, with an error that names the path.
private struct EventDocument {
    private let root: JSONValue

    init(_ body: [UInt8]) throws(EventError) {
        var limits = JSONReader.Limits()
        limits.bytes = TapEvent.bodyLimit
        do throws(JSONError) { root = try JSONReader.read(body, limits: limits) } catch {
            throw EventError(error.reason, offset: error.offset)
        }
        guard root.members != nil else { throw EventError("an event is a JSON object") }
    }

    func has(_ path: String) -> Bool { root.at(path) != nil }

    func optionalText(_ path: String) throws(EventError) -> String? {
        guard let value = root.at(path) else { return nil }
        guard let text = value.text else { throw EventError(member: path, "this is \(value.kind), not a string") }
        guard !text.isEmpty else { throw EventError(member: path, "this is empty") }
        return text
    }

    func text(_ path: String) throws(EventError) -> String {
        guard let text = try optionalText(path) else { throw EventError(member: path, "this is missing") }
        return text
    }

    func ulid(_ path: String) throws(EventError) -> ULID {
        guard let id = ULID(try text(path)) else { throw EventError(member: path, "this is no ULID") }
        return id
    }

    func time(_ path: String) throws(EventError) -> Date {
        guard let date = EventTime.date(try text(path)) else {
            throw EventError(member: path, "this is no time in UTC (RFC 3339)")
        }
        return date
    }

    func number(_ path: String) throws(EventError) -> Double {
        guard case .number(let text)? = root.at(path), let number = Double(text), number.isFinite else {
            throw EventError(member: path, "this is no number")
        }
        return number
    }

    func object(_ path: String) throws(EventError) -> String? {
        guard let value = root.at(path) else { return nil }
        guard value.members != nil, case let utf8 = value.utf8, utf8.count <= TapEvent.basketLimit else {
            throw EventError(member: path, "this is no object, or a very large one")
        }
        return String(decoding: utf8, as: UTF8.self)
    }
}
