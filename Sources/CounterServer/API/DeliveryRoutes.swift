// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LoyaltyFeed
internal import WalletCrypto

extension CounterRoutes {
    var deliveries: [Route] {
        [
            Route(.get, "/v1/deliveries", listDeliveries)
                .with(query: ["sink", "state", "event", "tap", "before", "limit"]),
            Route(.post, "/v1/deliveries/resend", resend).with(body: .json(4096)),
            Route(.get, "/v1/sinks") { _ throws(Problem) in
                let statistics = try await kept { outbox throws(OutboxError) in try await outbox.statistics() }
                return .json(.object(["sinks": .array(statistics.sinks.map(CounterViews.json))]))
            },
            Route(.post, "/v1/sinks/{name}/enable", enable).with(body: .optionalJSON(1024)),
            Route(.post, "/v1/sinks/{name}/test", test).with(body: .optionalJSON(1024)),
        ]
    }

    @Sendable private func listDeliveries(_ request: APIRequest) async throws(Problem) -> APIResponse {
        var filter = DeliveryFilter()
        filter.sink = request.query("sink")
        filter.event = try request.identifier(query: "event")
        filter.tap = try request.identifier(query: "tap")
        filter.before = try request.cursor("before")
        filter.limit = try request.number("limit", 1...Self.most, otherwise: 100)
        if let text = request.query("state") {
            guard let state = DeliveryState(rawValue: text) else {
                let words = DeliveryState.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(400, "invalidQuery", "`state` takes one of \(words)")
            }
            filter.state = state
        }
        let rows = try await kept { [filter] outbox throws(OutboxError) in try await outbox.deliveries(filter) }
        return .json(.object(["deliveries": .array(rows.map(CounterViews.json))]))
    }

    @Sendable private func resend(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let body = try request.object(allowing: ["event", "sink", "since", "dead"])
        let selection = try Self.selection(body)
        try await check(selection)
        let count = try await kept { outbox throws(OutboxError) in try await outbox.resend(selection) }
        return .json(.object(["resent": .number(count)]))
    }

    /// Exactly one of `event`, `since` and `dead` says what; `sink` says where.
    private static func selection(_ body: JSONValue) throws(Problem) -> Resend {
        let sink = try text(body, "sink")
        let given = ["event", "since", "dead"].filter { body[$0] != nil }
        guard given.count == 1 else {
            throw Problem(422, "invalidBody", "the body has exactly one of `event`, `since` and `dead`")
        }
        if let text = try text(body, "event") {
            guard let id = ULID(text) else { throw Problem(422, "invalidBody", "`event` is a ULID: 26 characters") }
            return .event(id, sink: sink)
        }
        if let text = try text(body, "since") {
            guard let date = date(text) else {
                throw Problem(422, "invalidBody", "`since` is a time such as 2026-11-21T00:00:00Z")
            }
            return .since(date, sink: sink)
        }
        guard body["dead"]?.flag == true else { throw Problem(422, "invalidBody", "`dead` is true") }
        return .deadLetters(sink: sink)
    }

    private static func text(_ body: JSONValue, _ name: String) throws(Problem) -> String? {
        guard let value = body[name] else { return nil }
        guard let text = value.text else { throw Problem(422, "invalidBody", "`\(name)` is a string") }
        return text
    }

    private static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        return (try? Date(text, strategy: Date.ISO8601FormatStyle()))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    /// That there is what is to go out again, and the sink it is to go to.
    private func check(_ selection: Resend) async throws(Problem) {
        let sink: String? =
            switch selection {
            case .event(_, let sink), .since(_, let sink), .deadLetters(let sink): sink
            }
        if let sink { try await checkSink(sink) }
        guard case .event(let id, _) = selection else { return }
        guard try await kept({ outbox throws(OutboxError) in try await outbox.event(id) }) != nil else {
            throw Problem(404, "noEvent", "there is no such event, or no longer")
        }
    }

    private func checkSink(_ name: String) async throws(Problem) {
        let statistics = try await kept { outbox throws(OutboxError) in try await outbox.statistics() }
        guard statistics.sinks.contains(where: { $0.name == name }) else {
            let names = statistics.sinks.map(\.name).joined(separator: ", ")
            throw Problem(
                404, "noSink", "there is no sink of that name", hint: names.isEmpty ? nil : "there is \(names)")
        }
    }

    private func sinkName(_ request: APIRequest) async throws(Problem) -> String {
        let name = request.parameters["name"] ?? ""
        try await checkSink(name)
        return name
    }

    @Sendable private func enable(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let name = try await sinkName(request)
        let changed = try await kept { outbox throws(OutboxError) in try await outbox.enable(sink: name) }
        return .json(.object(["sink": .string(name), "changed": .bool(changed)]))
    }

    @Sendable private func test(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let name = try await sinkName(request)
        guard let report = await settings.testSink(name) else {
            throw Problem(409, "noTest", "this sink cannot be tested from here", hint: "use `countertop sink test`")
        }
        return .json(
            .object([
                "sink": .string(name), "delivered": .bool(report.verdict == .delivered),
                "status": report.status.map { .number($0) } ?? .null, "detail": .string(report.detail),
            ]))
    }
}
