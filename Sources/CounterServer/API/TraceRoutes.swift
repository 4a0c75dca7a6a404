// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import HTTPTypes
internal import LoyaltyFeed

/// What was said in a tap, and what it means.
extension CounterRoutes {
    var traces: [Route] {
        [
            Route(.get, "/v1/taps/{id}/trace", showTrace).with(produces: [.json, .text]),
            Route(.post, "/v1/taps/{id}/replay", replay).with(body: .optionalJSON(1024)),
            Route(.get, "/v1/compare", compare).with(query: ["left", "right"]),
            Route(.get, "/v1/dictionary") { _ throws(Problem) in .json(DictionaryView.json) },
        ]
    }

    private func trace(of id: ULID) async throws(Problem) -> String {
        let found = try await kept { outbox throws(OutboxError) in
            (tap: try await outbox.tap(id), trace: try await outbox.trace(of: id))
        }
        guard found.tap != nil else { throw Problem.noTap }
        guard let trace = found.trace else { throw Problem(404, "noTrace", "no trace of this tap was kept") }
        return trace
    }

    private static func parsed(_ text: String) throws(Problem) -> APDUTrace {
        do throws(TraceError) { return try APDUTrace(parsing: text) } catch {
            throw Problem(500, "damagedTrace", "the trace that was kept cannot be read")
        }
    }

    @Sendable private func showTrace(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let id = try request.identifier()
        let text = try await trace(of: id)
        if request.accepted == .text { return .text(text) }
        let tap = try await tap(request)
        return .json(TapStory(try Self.parsed(text), of: tap).json(text))
    }

    @Sendable private func replay(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let text = try await trace(of: try request.identifier())
        do throws(ControlError) {
            let report = try await control.replay(text)
            return .json(
                .object(["same": .bool(report.isSame), "lines": .array(report.lines.map { .string($0) })]))
        } catch { throw Self.problem(error) }
    }

    @Sendable private func compare(_ request: APIRequest) async throws(Problem) -> APIResponse {
        guard let left = try request.identifier(query: "left"), let right = try request.identifier(query: "right")
        else { throw Problem(400, "invalidQuery", "`left` and `right` name two taps") }
        let (a, b) = (try Self.parsed(try await trace(of: left)), try Self.parsed(try await trace(of: right)))
        return .json(ComparisonView(a, b).json)
    }
}
