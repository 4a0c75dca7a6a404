// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LoyaltyFeed
internal import WalletCrypto

/// A request that was let in, with its body and what its path holds.
struct APIRequest: Sendable {
    let target: RequestTarget
    let headers: HTTPFields
    /// What the answer is to be.
    let accepted: MediaType
    /// What stands in the path for each name of the route's pattern.
    let parameters: [String: String]
    /// The whole body.
    var body: [UInt8] = []

    /// A member of the query.
    func query(_ name: String) -> String? { target.query.first { $0.name == name }?.value }

    /// A whole number of the query within `range`.
    func number<Number: FixedWidthInteger>(
        _ name: String, _ range: ClosedRange<Number>, otherwise: Number
    ) throws(Problem) -> Number {
        guard let text = query(name) else { return otherwise }
        guard let number = Self.digits(text).flatMap({ Number($0) }), range.contains(number) else {
            throw Problem(
                400, "invalidQuery", "`\(name)` takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// `Int64.init` takes signs too.
    private static func digits(_ text: String) -> String? {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? text : nil
    }

    /// A cursor that this service gave out; nil when there is none in the query, or an empty one.
    func cursor(_ name: String = "after") throws(Problem) -> Int64? {
        guard let text = query(name), !text.isEmpty else { return nil }
        return try number(name, 0...Int64.max, otherwise: 0)
    }

    /// An identifier in the query.
    func identifier(query name: String) throws(Problem) -> ULID? {
        guard let text = query(name) else { return nil }
        guard let id = ULID(text) else { throw Problem(400, "invalidQuery", "`\(name)` takes a ULID: 26 characters") }
        return id
    }

    /// The identifier in the path. What is no ULID names nothing.
    func identifier() throws(Problem) -> ULID {
        guard let id = parameters["id"].flatMap({ ULID($0) }) else { throw Problem.noTap }
        return id
    }

    /// The body as a JSON object with no other members than these.
    func object(allowing names: [String]) throws(Problem) -> JSONValue {
        let value = try json()
        guard let members = value.members else {
            throw Problem(422, "invalidBody", "the body is not a JSON object")
        }
        for member in members where !names.contains(member.name) {
            throw Problem(
                422, "unknownMember", "the body has a member that is not known here",
                hint: names.isEmpty ? nil : "known are \(names.joined(separator: ", "))")
        }
        return value
    }

    /// The body as JSON.
    func json() throws(Problem) -> JSONValue {
        do throws(JSONError) { return try JSONReader.read(body) } catch {
            throw Problem(
                400, "invalidJSON",
                "the body is no JSON that is taken: \(error.reason)"
                    + (error.offset.map { ", at byte \($0)" } ?? ""))
        }
    }
}

extension Problem {
    static let noTap = Problem(404, "noTap", "there is no such tap, or it was purged")
}
