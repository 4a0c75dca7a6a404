// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// One method of one path, and what it takes and gives.
struct Route: Sendable {
    typealias Handler = @Sendable (APIRequest) async throws(Problem) -> APIResponse

    /// What a request may have as its body.
    enum BodyRule: Sendable {
        case none
        /// JSON of at most so many bytes.
        case json(Int)
        /// The same, or nothing.
        case optionalJSON(Int)

        var limit: Int {
            switch self {
            case .none: 0
            case .json(let limit), .optionalJSON(let limit): limit
            }
        }
    }

    let method: HTTPRequest.Method
    /// Segments; one in braces takes anything.
    let pattern: [String]
    /// Whether it answers without a token.
    var isPublic = false
    /// The members that the query may have.
    var query: [String] = []
    var body = BodyRule.none
    /// What it can answer with; the first unless the client likes another better.
    var produces = [MediaType.json]
    let handler: Handler

    init(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        self.method = method
        pattern = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        self.handler = handler
    }

    /// As OpenAPI writes it.
    var path: String { "/" + pattern.joined(separator: "/") }

    /// The method's name.
    var verb: String { method.rawValue }

    /// Routes as they are written in a table.
    func with(
        query: [String] = [], body: BodyRule = .none, produces: [MediaType] = [.json], isPublic: Bool = false
    ) -> Route {
        var route = self
        (route.query, route.body, route.produces, route.isPublic) = (query, body, produces, isPublic)
        return route
    }

    /// What the path holds for the names of the pattern; nil when the path is another's. A last segment `{path}` takes
    /// all that follows.
    func parameters(_ segments: [String]) -> [String: String]? {
        var found: [String: String] = [:]
        for (index, part) in pattern.enumerated() {
            guard index < segments.count else { return nil }
            if part == "{path}", index == pattern.count - 1 {
                found["path"] = segments[index...].joined(separator: "/")
                return found
            }
            if part.hasPrefix("{") {
                guard !segments[index].isEmpty else { return nil }
                found[String(part.dropFirst().dropLast())] = segments[index]
            } else if part != segments[index] {
                return nil
            }
        }
        return pattern.count == segments.count ? found : nil
    }
}

/// All routes of the service.
struct RouteTable: Sendable {
    let routes: [Route]

    /// The route of a request, with what its path holds.
    /// - Throws: 404, or 405 with the methods that there are.
    func find(
        _ method: HTTPRequest.Method, _ target: RequestTarget
    ) throws(Problem) -> (route: Route, parameters: [String: String]) {
        let matching = routes.compactMap { route in
            route.parameters(target.segments).map { (route: route, parameters: $0) }
        }
        guard !matching.isEmpty else { throw Problem(404, "noRoute", "there is nothing here") }
        // RFC 9110, 9.3.2: HEAD is GET without the content.
        let wanted = method == .head ? .get : method
        if let found = matching.first(where: { $0.route.method == wanted }) { return found }
        var allowed = Set(matching.map(\.route.method.rawValue))
        if allowed.contains("GET") { allowed.insert("HEAD") }
        let words = allowed.sorted().joined(separator: ", ")
        throw Problem(405, "noMethod", "here are \(words) only").with("Allow", words)
    }
}
