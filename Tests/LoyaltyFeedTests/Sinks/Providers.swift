// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import Synchronization
import WalletCrypto

/// A stand-in for a provider. What a request has wrong is kept, so that a test can say it.
protocol Provider: Sendable {
    func answer(_ request: ReceivedRequest) -> ReceiverAnswer
}

/// What a stand-in was told so far.
final class ProviderBook<Content: Sendable>: Sendable {
    private let state: Mutex<(content: Content, faults: [String])>

    init(_ content: Content) { state = Mutex((content, [])) }

    var content: Content { state.withLock { $0.content } }
    var faults: [String] { state.withLock { $0.faults } }

    func change<R: Sendable>(_ body: (inout Content) -> R) -> R { state.withLock { body(&$0.content) } }

    /// Notes a fault, and answers as providers answer it.
    func fault(_ text: String, _ status: Int = 400) -> ReceiverAnswer {
        state.withLock { $0.faults.append(text) }
        return ReceiverAnswer(status, body: Array(#"{"message":"hush"}"#.utf8))
    }
}

private func json(_ status: Int, _ text: String) -> ReceiverAnswer {
    ReceiverAnswer(status, headers: [("content-type", "application/json")], body: Array(text.utf8))
}

/// PassKit: `PUT /members/member/checkIn` with a `MemberCheckInOutRequest` as JSON, authorised by a web token.
final class PassKitProvider: Provider {
    private let book = ProviderBook<[String]>([])
    private let members: Set<String>
    private let key: String
    private let secret: SecretBytes
    private let memberKey: String

    init(members: Set<String>, key: String, secret: String, memberKey: String = "externalId") {
        (self.members, self.key, self.memberKey) = (members, key, memberKey)
        self.secret = SecretBytes(copying: Array(secret.utf8))
    }

    var checkIns: [String] { book.content }
    var faults: [String] { book.faults }

    func answer(_ request: ReceivedRequest) -> ReceiverAnswer {
        guard isAuthorised(request.field("authorization") ?? "") else { return json(401, #"{"error":"hush"}"#) }
        guard request.method == "PUT", request.target == "/members/member/checkIn" else {
            return book.fault("\(request.method) \(request.target)", 404)
        }
        let known: Set = [
            "memberId", "externalId", "programId", "externalEventId", "lat", "lon", "address", "metaData",
        ]
        guard let body = try? request.object(), Set(body.keys).isSubset(of: known),
            body["programId"] as? String == "prog \"1\"", let event = body["externalEventId"] as? String,
            body["lat"] as? Double == -51.5, body["lon"] as? Double == 7, body["address"] as? String == "High Street 1",
            (body["metaData"] as? [String: String])?["store"] == "0042"
        else { return book.fault(request.text) }
        guard let member = body[memberKey] as? String else { return book.fault("no \(memberKey)") }
        guard members.contains(member) else { return json(404, #"{"error":"hush not found"}"#) }
        book.change { if !$0.contains(event) { $0.append(event) } }
        return json(200, #"{"id":"evt"}"#)
    }

    private func isAuthorised(_ token: String) -> Bool {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let claims = Base64URL.decode(parts[1]), let code = Base64URL.decode(parts[2]),
            HMACSHA256.isValid(code, for: Array("\(parts[0]).\(parts[1])".utf8), key: secret),
            let header = Base64URL.decode(parts[0]),
            String(decoding: header, as: UTF8.self) == #"{"alg":"HS256","typ":"JWT"}"#,
            let object = try? JSONSerialization.jsonObject(with: Data(claims)) as? [String: Any],
            let (issued, expires) = (object["iat"] as? Double, object["exp"] as? Double) as? (Double, Double)
        else { return false }
        let now = Date().timeIntervalSince1970
        return object["uid"] as? String == key && issued <= now && expires > now
    }
}

/// Voucherify: `POST /v1/loyalties/members/{memberId}/balance`.
final class VoucherifyProvider: Provider {
    private let book = ProviderBook<(balances: [String: Int], sources: Set<String>)>(([:], []))
    private let cards: Set<String>
    private let id: String
    private let token: String

    init(cards: Set<String>, id: String, token: String) { (self.cards, self.id, self.token) = (cards, id, token) }

    var balances: [String: Int] { book.content.balances }
    var sources: Set<String> { book.content.sources }
    var faults: [String] { book.faults }

    func answer(_ request: ReceivedRequest) -> ReceiverAnswer {
        guard request.field("x-app-id") == id, request.field("x-app-token") == token else {
            return json(401, #"{"code":401,"key":"unauthorized"}"#)
        }
        let path = request.target.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard request.method == "POST", path.count == 6, path[1...3] == ["v1", "loyalties", "members"],
            path[5] == "balance", let card = path[4].removingPercentEncoding
        else { return book.fault("\(request.method) \(request.target)", 404) }
        guard let body = try? request.object(), Set(body.keys) == ["points", "reason", "source_id"],
            let points = body["points"] as? Int, let source = body["source_id"] as? String,
            body["reason"] as? String == "tap"
        else { return book.fault(request.text) }
        guard cards.contains(card) else { return json(404, #"{"code":404,"key":"not_found","message":"hush"}"#) }
        book.change { content in
            if content.sources.insert(source).inserted { content.balances[card, default: 0] += points }
        }
        return json(200, #"{"points":\#(points),"object":"balance"}"#)
    }
}

/// Square: `POST /v2/loyalty/accounts/search`, then `POST /v2/loyalty/accounts/{account_id}/accumulate`.
final class SquareProvider: Provider {
    private let book = ProviderBook<(booked: [String], keys: Set<String>)>(([], []))
    private let accounts: [String: String]
    private let token: String

    init(accounts: [String: String], token: String) { (self.accounts, self.token) = (accounts, token) }

    var booked: [String] { book.content.booked }
    var faults: [String] { book.faults }

    func answer(_ request: ReceivedRequest) -> ReceiverAnswer {
        guard request.field("authorization") == "Bearer \(token)" else {
            return json(401, #"{"errors":[{"category":"AUTHENTICATION_ERROR","code":"UNAUTHORIZED"}]}"#)
        }
        guard request.method == "POST", request.field("square-version")?.count == 10,
            let body = try? request.object()
        else { return book.fault("\(request.method) \(request.text)") }
        let path = request.target.split(separator: "/").map(String.init)
        if path == ["v2", "loyalty", "accounts", "search"] { return search(body, request) }
        guard path.count == 5, path[4] == "accumulate", accounts.values.contains(path[3]) else {
            return book.fault(request.target, 404)
        }
        return accumulate(body, path[3], request)
    }

    private func search(_ body: [String: Any], _ request: ReceivedRequest) -> ReceiverAnswer {
        guard let query = body["query"] as? [String: Any], query.count == 1, body["limit"] as? Int == 1 else {
            return book.fault(request.text)
        }
        let phone = (query["mappings"] as? [[String: String]])?.first?["phone_number"]
        guard let member = phone ?? (query["customer_ids"] as? [String])?.first else { return book.fault(request.text) }
        guard let account = accounts[member] else { return json(200, "{}") }
        return json(200, #"{"loyalty_accounts":[{"id":"\#(account)","balance":10}]}"#)
    }

    private func accumulate(_ body: [String: Any], _ account: String, _ request: ReceivedRequest) -> ReceiverAnswer {
        guard Set(body.keys) == ["accumulate_points", "location_id", "idempotency_key"],
            body["location_id"] as? String == "L1", let key = body["idempotency_key"] as? String,
            (1...128).contains(key.count), let points = body["accumulate_points"] as? [String: Any], points.count == 1
        else { return book.fault(request.text) }
        let what = (points["order_id"] as? String).map { "order \($0)" } ?? "points \(points["points"] as? Int ?? -1)"
        book.change { content in
            // The same key gives the same answer, and changes nothing.
            if content.keys.insert(key).inserted { content.booked.append("\(account) \(what)") }
        }
        return json(200, #"{"events":[{"id":"e","type":"ACCUMULATE_POINTS","loyalty_account_id":"\#(account)"}]}"#)
    }
}

/// Talon.One: `PUT /v2/customer_sessions/{customerSessionId}`.
final class TalonOneProvider: Provider {
    private let book = ProviderBook<[String: String]>([:])
    private let key: String

    init(key: String) { self.key = key }

    /// The sessions' bodies.
    var sessions: [String: String] { book.content }
    var faults: [String] { book.faults }

    func answer(_ request: ReceivedRequest) -> ReceiverAnswer {
        guard request.field("authorization") == "ApiKey-v1 \(key)" else { return json(401, #"{"message":"hush"}"#) }
        let path = request.target.split(separator: "/").map(String.init)
        guard request.method == "PUT", path.count == 3, path[0] == "v2", path[1] == "customer_sessions" else {
            return book.fault("\(request.method) \(request.target)", 404)
        }
        let known: Set = ["profileId", "loyaltyCards", "storeIntegrationId", "cartItems", "state"]
        guard let body = try? request.object(), Set(body.keys) == ["customerSession", "responseContent"],
            let session = body["customerSession"] as? [String: Any], Set(session.keys).isSubset(of: known),
            ["open", "closed"].contains(session["state"] as? String),
            body["responseContent"] as? [String] == ["loyalty"],
            session["profileId"] as? String == "M-10023" || session["loyaltyCards"] as? [String] == ["M-10023"],
            session["cartItems"] == nil || (session["cartItems"] as? [[String: Any]])?.first?["price"] as? Double == 3.5
        else { return book.fault(request.text) }
        book.change { $0[path[2]] = request.text }
        return json(200, #"{"effects":[],"loyalty":{}}"#)
    }
}

/// A provider that has too much to do.
struct BusyProvider: Provider {
    func answer(_ request: ReceivedRequest) -> ReceiverAnswer {
        ReceiverAnswer(429, headers: [("Retry-After", "30")], body: Array("hush".utf8))
    }
}
