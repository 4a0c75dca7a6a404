// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import TestSupport
import Testing

@testable import CounterServer

/// The document and the service say the same.
@Suite struct OpenAPITests {
    @Test func `every route is documented, and every documented route is there`() async throws {
        let bench = try await APIBench.start()
        let routes = CounterRoutes(outbox: bench.outbox, control: bench.control, settings: .init()).table.routes
        let there = Set(routes.map { "\($0.verb) \($0.path)" })
        let documented = Set(try HostileAPITests.operations().map { "\($0.method) \($0.path)" })
        #expect(there == documented, "\(there.symmetricDifference(documented).sorted())")
        // And a running service knows each of them.
        for (method, path) in try HostileAPITests.operations() {
            let filled = path.replacingOccurrences(of: "{id}", with: "x").replacingOccurrences(of: "{name}", with: "x")
                .replacingOccurrences(of: "{path}", with: "api.js")
            let answer = try bench.ask(method == "GET" ? "HEAD" : method, filled)
            #expect(answer.status != 405 && answer.status < 500, "\(method) \(path): \(answer.status)")
        }
        try await bench.stop()
    }

    @Test func `members of the query are those of the document`() async throws {
        let bench = try await APIBench.start()
        let routes = CounterRoutes(outbox: bench.outbox, control: bench.control, settings: .init()).table.routes
        let data = try Data(contentsOf: PagesTests.folder.appending(path: "openapi.json"))
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        for route in routes where !route.query.contains("*") {
            let item = paths[route.path]?[route.verb.lowercased()] as? [String: Any]
            let parameters = item?["parameters"] as? [[String: Any]] ?? []
            let names = parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
            #expect(Set(names) == Set(route.query), "\(route.path)")
            let content = (item?["responses"] as? [String: [String: Any]])?["200"]?["content"] as? [String: Any]
            #expect(Set(content.map { Array($0.keys) } ?? []) == Set(route.produces.map(\.rawValue)), "\(route.path)")
        }
        try await bench.stop()
    }

    private struct Sample: Encodable {
        let operation: String
        let status: Int
        let body: String
    }

    @Test(.enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
    func `answers have the shapes of the document, and the document is OpenAPI`() async throws {
        let bench = try await APIBench.start(basketWindow: .seconds(60))
        let tap = try await bench.tap(1, trace: CounterAPITests.trace, member: nil)
        let read = try await bench.tap(2, trace: CounterAPITests.trace)
        let calls: [(String, String, String, String?)] = [
            ("GET", "/v1/taps", "/v1/taps", nil), ("GET", "/v1/taps/{id}", "/v1/taps/\(tap.id)", nil),
            ("GET", "/v1/taps/{id}", "/v1/taps/\(read.id)", nil), ("GET", "/v1/taps/{id}", "/v1/taps/x", nil),
            ("GET", "/v1/taps/{id}/trace", "/v1/taps/\(tap.id)/trace", nil),
            ("POST", "/v1/taps/{id}/replay", "/v1/taps/\(tap.id)/replay", nil),
            ("GET", "/v1/compare", "/v1/compare?left=\(tap.id)&right=\(read.id)", nil),
            ("POST", "/v1/taps/{id}/basket", "/v1/taps/\(read.id)/basket", "{}"),
            ("GET", "/v1/events", "/v1/events", nil), ("GET", "/v1/deliveries", "/v1/deliveries", nil),
            ("POST", "/v1/deliveries/resend", "/v1/deliveries/resend", #"{"dead":true}"#),
            ("POST", "/v1/deliveries/resend", "/v1/deliveries/resend", "{}"), ("GET", "/v1/sinks", "/v1/sinks", nil),
            ("GET", "/v1/readers", "/v1/readers", nil), ("GET", "/v1/wallet", "/v1/wallet", nil),
            ("PATCH", "/v1/wallet", "/v1/wallet", #"{"leavesFieldAt":2}"#),
            ("POST", "/v1/wallet/tap", "/v1/wallet/tap", nil), ("GET", "/v1/dictionary", "/v1/dictionary", nil),
            ("GET", "/healthz", "/healthz", nil), ("GET", "/readyz", "/readyz", nil),
            ("GET", "/openapi.json", "/openapi.json", nil),
        ]
        let samples = try calls.map { method, path, target, body in
            let answer = try bench.ask(method, target, body)
            return Sample(operation: "\(method.lowercased()) \(path)", status: answer.status, body: answer.text)
        }
        let problems = try Outside.python(Self.script, samples, as: [String].self)
        #expect(problems.isEmpty, "\(problems)")
        try await bench.stop()
    }

    /// The last sample is the document.
    private static let script = """
        from jsonschema import Draft202012Validator
        from openapi_spec_validator import validate
        document = json.loads(data[-1]['body'])
        problems = []
        try:
            validate(document)
        except Exception as error:
            problems.append(f'the document: {error}')
        for sample in data:
            method, path = sample['operation'].split(' ')
            responses = document['paths'][path][method]['responses']
            response = responses.get(str(sample['status']), responses['default'])
            if '$ref' in response:
                response = document['components']['responses'][response['$ref'].split('/')[-1]]
            kind = 'application/json' if 'application/json' in response['content'] else 'application/problem+json'
            schema = dict(response['content'][kind]['schema'])
            schema['components'] = document['components']
            for error in Draft202012Validator(schema).iter_errors(json.loads(sample['body'])):
                problems.append(f"{sample['operation']} {sample['status']}: {error.json_path}: {error.message[:200]}")
        print(json.dumps(problems))
        """
}
