// SPDX-License-Identifier: Apache-2.0

/// One request to a provider, as a template.
struct TemplateCall: Sendable {
    /// A part of the answer that later calls use.
    struct Capture: Hashable, Sendable {
        /// The variable it becomes.
        let name: String
        /// A JSON pointer.
        let pointer: String
        /// What it means when the answer has no such part.
        let missing: String
    }

    let method: String
    let url: TemplateText
    let headers: [(name: String, value: TemplateText)]
    /// Fields that are sent as they are.
    let fixedHeaders: [(name: String, value: String)]
    let body: TemplateText?
    let contentType: String?
    let success: SuccessRule
    var captures: [Capture] = []

    private var texts: [TemplateText] { [url] + headers.map(\.value) + (body.map { [$0] } ?? []) }

    /// The variables that an event must have.
    var required: Set<String> { texts.reduce(into: []) { $0.formUnion($1.required) } }
    /// All variables.
    var names: Set<String> { texts.reduce(into: []) { $0.formUnion($1.names) } }

    /// The request for one event.
    func request(
        _ origin: SinkURL, _ value: (String) -> TemplateValue?
    ) throws(TemplateText.Obstacle) -> EndpointRequest {
        var fields: [(name: String, value: String)] = [("user-agent", WebhookSink.userAgent)]
        if let contentType { fields.append(("content-type", contentType)) }
        fields += fixedHeaders
        for header in headers { fields.append((header.name, try header.value.render(value))) }
        let text = try body?.render(value) ?? ""
        return EndpointRequest(
            method: method, url: SinkURL(origin, text: try url.render(value)), headers: fields, body: Array(text.utf8),
            wantsBody: success.member != nil || !captures.isEmpty)
    }

    /// Checks the scheme and host of a URL template, in which nothing may vary.
    static func origin(_ template: String, key: String, allowHTTP: Bool) throws(SettingError) -> SinkURL {
        let fixed = template.firstRange(of: "{{").map { String(template[..<$0.lowerBound]) } ?? template
        let afterScheme = fixed.firstRange(of: "://").map { fixed[$0.upperBound...] } ?? ""
        guard fixed == template || afterScheme.contains(where: { $0 == "/" || $0 == "?" }) else {
            throw SettingError(key, "may have variables in its path and query only, not in its host")
        }
        return try SinkURL(fixed, key: key, allowHTTP: allowHTTP)
    }
}
