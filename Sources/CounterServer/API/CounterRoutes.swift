// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LoyaltyFeed
internal import WalletCrypto

/// Every route of the service, as tables.
struct CounterRoutes: Sendable {
    let outbox: Outbox
    let control: any CounterControl
    let settings: CounterAPISettings
    let wallets = WalletBell()

    var table: RouteTable {
        RouteTable(
            routes: taps + traces + feed + deliveries + wallet + service
                + StaticFiles.routes(language: settings.language))
    }

    /// The most of anything in one answer.
    static let most = 1000

    // MARK: errors

    /// What the outbox says becomes a status.
    func kept<Value: Sendable>(
        _ work: @Sendable (Outbox) async throws(OutboxError) -> Value
    ) async throws(Problem) -> Value {
        do throws(OutboxError) { return try await work(outbox) } catch {
            let (status, hint) = Self.outbox[error.code] ?? (500, nil)
            throw Problem(status, error.code.rawValue, error.reason, hint: error.hint ?? hint)
        }
    }

    private static let outbox: [OutboxError.Code: (status: Int, hint: String?)] = [
        .busy: (503, "try again"), .full: (507, "make room on the disk of the state directory"),
        .notFound: (404, nil),
    ]

    /// What the counter says becomes a status.
    static func problem(_ error: ControlError) -> Problem {
        Problem(control[error.code] ?? 500, error.code.rawValue, error.reason, hint: error.hint)
    }

    private static let control: [ControlError.Code: Int] = [
        .noWallet: 409, .invalidChange: 422, .unreadableDefinition: 409, .notKept: 503, .stopped: 503,
        .unavailable: 503, .invalidTrace: 422,
    ]
}

// MARK: taps

extension CounterRoutes {
    var taps: [Route] {
        [
            Route(.get, "/v1/taps", listTaps).with(query: ["after", "limit", "latest"]),
            Route(.get, "/v1/taps/{id}") { request throws(Problem) in .json(CounterViews.json(try await tap(request)))
            },
            Route(.post, "/v1/taps/{id}/basket", attachBasket).with(body: .json(TapEvent.basketLimit)),
        ]
    }

    func tap(_ request: APIRequest) async throws(Problem) -> StoredTap {
        let id = try request.identifier()
        guard let tap = try await kept({ outbox throws(OutboxError) in try await outbox.tap(id) }) else {
            throw Problem.noTap
        }
        return tap
    }

    @Sendable private func listTaps(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let after = try request.cursor()
        let limit = try request.number("limit", 1...Self.most, otherwise: 100)
        let latest = try request.number("latest", 1...Self.most, otherwise: 0)
        guard after == nil || latest == 0 else {
            throw Problem(400, "invalidQuery", "`after` and `latest` do not go together")
        }
        if let after, after > outbox.lastTap { throw Self.unknownCursor }
        let taps = try await kept { outbox throws(OutboxError) in
            latest > 0 ? try await outbox.latestTaps(limit: latest) : try await outbox.taps(after: after, limit: limit)
        }
        return .json(
            .object([
                "taps": .array(taps.map(CounterViews.json)),
                "cursor": .string(String(taps.last?.cursor ?? after ?? 0)),
            ]))
    }

    /// A cursor beyond the last tap or event is of another state directory: its client would wait for ever.
    private static let unknownCursor = Problem(
        410, "unknownCursor", "this counter has not come as far as that cursor",
        hint: "its state directory is another one than before: begin again without a cursor")

    @Sendable private func attachBasket(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let id = try request.identifier()
        guard try request.json().members != nil else {
            throw Problem(422, "invalidBody", "a basket is a JSON object")
        }
        let text = String(decoding: request.body, as: UTF8.self)
        let outcome = try await kept { outbox throws(OutboxError) in try await outbox.attachBasket(text, to: id) }
        if let refusal = Self.baskets[outcome] { throw refusal }
        return .json(CounterViews.json(try await tap(request)))
    }

    private static let baskets: [BasketOutcome: Problem] = [
        .tooLate: Problem(409, "tooLate", "the tap's events went out before the basket came"),
        .noWindow: Problem(
            409, "noWindow", "this counter does not wait for baskets",
            hint: "set window in the configuration's [basket]"),
        .unknownTap: .noTap,
        .invalid: Problem(422, "invalidBody", "the basket is no JSON object, or too large"),
    ]
}

// MARK: events

extension CounterRoutes {
    var feed: [Route] {
        [
            Route(.get, "/v1/events", listEvents).with(query: ["after", "limit"], produces: [.json, .events]),
            Route(.get, "/v1/live") { request throws(Problem) in
                .stream(LiveEvents(outbox, control, wallets, after: try request.lastEventID()))
            }.with(produces: [.events]),
        ]
    }

    @Sendable private func listEvents(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let (asked, last) = (try request.cursor() ?? 0, try request.lastEventID(for: request.accepted))
        let after = last ?? asked
        guard after <= outbox.lastPosition else { throw Self.unknownCursor }
        if request.accepted == .events {
            return .stream(FeedEvents(outbox, after: after))
        }
        let limit = try request.number("limit", 1...Self.most, otherwise: 100)
        let events = try await kept { outbox throws(OutboxError) in try await outbox.events(after: after, limit: limit)
        }
        var body = Array("{\"events\":[".utf8)
        for (index, event) in events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            // As every sink gets it, byte for byte.
            body += event.outgoing.body
        }
        body += Array("],\"cursor\":\"\(events.last?.position ?? after)\"}".utf8)
        return APIResponse(type: MediaType.json.field, body: .bytes(body))
    }
}

extension APIRequest {
    /// Where an event stream goes on; nothing for other answers.
    fileprivate func lastEventID(for type: MediaType) throws(Problem) -> Int64? {
        type == .events ? try lastEventID() : nil
    }

    /// Where a stream goes on (HTML Standard, 9.2.4).
    func lastEventID() throws(Problem) -> Int64? {
        guard let text = headers[.lastEventID], !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let id = Int64(text) else {
            throw Problem(400, "invalidLastEventID", "Last-Event-ID is none that this service gave out")
        }
        return id
    }
}
