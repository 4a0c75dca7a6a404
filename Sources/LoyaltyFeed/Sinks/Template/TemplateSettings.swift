// SPDX-License-Identifier: Apache-2.0

internal import WalletCrypto

extension TemplateSink {
    /// `type = "template"`.
    public static let type = SinkType(
        "template", help: "a request of your own making, with Mustache templates", source: "mustache(5); RFC 6901",
        settings: [
            SinkSetting("url", .url, required: true, "where to; {{…}} in path and query"),
            SinkSetting("method", .oneOf(["POST", "PUT", "PATCH"]), default: .string("POST"), "the HTTP method"),
            SinkSetting("body", .text, "the body; without it the CloudEvents document"),
            SinkSetting(
                "body_type", .oneOf(["json", "form"]), default: .string("json"), "how values are escaped in it"),
            SinkSetting("content_type", .text, "instead of application/json or the form's"),
            SinkSetting("points", .number, default: .integer(1), "the value of {{points}}"),
            SinkSetting("success_status", statuses, "the statuses that mean success, instead of any 2xx"),
            SinkSetting("duplicate_status", statuses, "the statuses that mean \"I have this one already\""),
            SinkSetting("success_pointer", .text, "a JSON pointer into the answer, such as /status"),
            SinkSetting("success_value", .text, "the value there that means success"),
            SinkSetting("idempotency_header", .text, "a header field for the event's id"),
            SinkSetting("idempotency_field", .text, "a member of the JSON body for the event's id"),
            SinkSetting(
                "missing", .oneOf(["refuse", "skip"]), default: .string("refuse"),
                "what to do with an event that lacks a value"),
        ] + HTTPOptions.settings
    ) { settings throws(SettingError) in try make(settings) }

    private static let statuses = SettingKind("list of HTTP statuses") { value in
        guard case .array(let items) = value, !items.isEmpty else { return "must be a list such as [200, 201]" }
        return items.lazy.compactMap(SettingKind.whole(200...599).fault).first
    }

    private static func make(_ settings: SinkSettings) throws(SettingError) -> TemplateSink {
        let options = try HTTPOptions(settings)
        let origin = try TemplateCall.origin(
            try settings.required("url"), key: "url", allowHTTP: options.allowHTTP)
        let call = try self.call(settings, options)
        guard call.names.contains("id") || call.names.contains("event") else {
            throw SettingError(
                "url", "nothing in the request tells a repeated event from a new one",
                hint: "put {{id}} into the body or the URL, or set idempotency_header")
        }
        let points = settings.numberText("points").map(TemplateValue.json)
        return TemplateSink(
            name: settings.name, endpoint: HTTPEndpoint(origin: origin, options: options), calls: [call],
            context: settings.context, missing: settings.text("missing") == "skip" ? .skip : .refuse
        ) { _ in points.map { ["points": $0] } ?? [:] }
    }

    private static func call(_ settings: SinkSettings, _ options: HTTPOptions) throws(SettingError) -> TemplateCall {
        func text(_ text: String, _ place: TemplatePlace, _ key: String) throws(SettingError) -> TemplateText {
            try TemplateText(text, place: place, key: key) { TemplateVariable.exists($0) || $0 == "points" }
        }
        var headers: [(name: String, value: TemplateText)] = []
        for header in options.headers {
            headers.append((header.name, try text(header.value, .header, "headers")))
        }
        if let name = settings.text("idempotency_header") {
            guard HeaderFields.isToken(name), !HeaderFields.reserved.contains(name.lowercased()) else {
                throw SettingError("idempotency_header", "is no header field that can be set")
            }
            headers.append((name, try text("{{id}}", .header, "idempotency_header")))
        }
        let isForm = settings.text("body_type") == "form"
        let body = try text(try self.body(settings), isForm ? .form : .json, "body")
        let call = TemplateCall(
            method: settings.text("method") ?? "POST", url: try text(try settings.required("url"), .url, "url"),
            headers: headers, fixedHeaders: options.secretHeaders, body: body,
            contentType: settings.text("content_type")
                ?? (isForm ? "application/x-www-form-urlencoded" : "application/json"),
            success: try success(settings))
        if !isForm { try TemplateProof.check(body, key: "body") }
        return call
    }

    /// The body's text, with the idempotency field as its first member.
    private static func body(_ settings: SinkSettings) throws(SettingError) -> String {
        let text = settings.text("body") ?? "{{{event}}}"
        guard let field = settings.text("idempotency_field") else { return text }
        guard let start = text.firstIndex(where: { !$0.isWhitespace }), text[start] == "{",
            !text[start...].hasPrefix("{{"), settings.text("body_type") != "form"
        else {
            throw SettingError("idempotency_field", "needs a body that is a JSON object")
        }
        let rest = text[text.index(after: start)...]
        let isEmpty = rest.first { !$0.isWhitespace } == "}"
        return "{\(TemplateValue.text(field).json):\"{{id}}\"\(isEmpty ? "" : ",")\(rest)"
    }

    private static func success(_ settings: SinkSettings) throws(SettingError) -> SuccessRule {
        func numbers(_ key: String) -> Set<Int>? {
            guard case .array(let items) = settings.values[key] else { return nil }
            return Set(items.compactMap { if case .integer(let number) = $0 { number } else { nil } })
        }
        var rule = SuccessRule(statuses: numbers("success_status"), duplicates: numbers("duplicate_status") ?? [])
        if let pointer = settings.text("success_pointer") {
            guard pointer.hasPrefix("/") else { throw SettingError("success_pointer", "must begin with /") }
            guard let value = settings.text("success_value") else {
                throw SettingError("success_value", "is missing: the value that means success")
            }
            rule.member = SuccessRule.Member(pointer: pointer, value: value)
        } else if settings.has("success_value") {
            throw SettingError("success_pointer", "is missing: where the answer has the value")
        }
        return rule
    }
}

/// Tries a body template out when the configuration is read, so that a missing quote or comma shows then.
enum TemplateProof {
    static func check(_ body: TemplateText, key: String) throws(SettingError) {
        for isFull in [true, false] {
            let text = try? body.render { name in
                guard isFull || body.required.contains(name) else { return nil }
                return numeric.contains(name)
                    ? .json("1") : name == "event" || name == "basket" ? .json("{}") : .text("x\"\\")
            }
            guard let text, (try? JSONReader.read(Array(text.utf8))) != nil else {
                let when = isFull ? "when the event has every value" : "when the event has only what is needed"
                throw SettingError(
                    key, "gives no JSON \(when)", hint: "put \"{{name}}\" between quotes, {{{name}}} without")
            }
        }
    }

    /// Values that are numbers, so that `{{points}}` may stand without quotes.
    private static let numeric: Set<String> = ["points", "sequence", "timestamp", "latencyMs", "amount"]
}
