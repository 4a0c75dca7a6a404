// SPDX-License-Identifier: Apache-2.0

/// A provider's API as data: what the template sink needs to know of it.
struct Preset: Sendable {
    /// How a request shows who sends it; each becomes a variable.
    enum Credential: Sendable {
        /// The text in a file, as the variable.
        case file(key: String, variable: String)
        /// A JSON Web Token made for each request, as PassKit wants it: `uid`, `iat`, `exp`, signed with HS256.
        case webToken(keyFile: String, secretFile: String, variable: String)
    }

    /// One request.
    struct Call: Sendable {
        let method: String
        /// Path and query after the base URL.
        let path: String
        let body: String
        var captures: [TemplateCall.Capture] = []
    }

    let name: String
    let help: String
    let source: String
    /// nil where every customer has an own one.
    let baseURL: String?
    let settings: [SinkSetting]
    let credentials: [Credential]
    let headers: [(name: String, value: String)]
    let calls: [Call]
    /// Variables that are there when a setting has this value: the conditions of the templates.
    var choices: [(variable: String, key: String, value: String)] = []

    /// The type of sink that it makes.
    var type: SinkType {
        let base = SinkSetting(
            "base_url", .url, required: baseURL == nil, default: baseURL.map(SettingValue.string),
            "the provider's address, without a path")
        return SinkType(name, help: help, source: source, settings: [base] + settings + HTTPOptions.settings) {
            settings throws(SettingError) in try make(settings)
        }
    }

    private func make(_ settings: SinkSettings) throws(SettingError) -> TemplateSink {
        let options = try HTTPOptions(settings)
        var base = try settings.required("base_url")
        while base.hasSuffix("/") { base.removeLast() }
        guard !base.contains("{{") else { throw SettingError("base_url", "has no variables") }
        let origin = try SinkURL(base, key: "base_url", allowHTTP: options.allowHTTP)
        var calls: [TemplateCall] = []
        var captured: Set<String> = []
        for call in self.calls {
            calls.append(try compiled(call, base, options, captured))
            captured.formUnion(call.captures.map(\.name))
        }
        let (values, tokens) = (self.values(settings), try secrets(settings))
        return TemplateSink(
            name: settings.name, endpoint: HTTPEndpoint(origin: origin, options: options), calls: calls,
            context: settings.context, missing: .refuse
        ) { now in
            var all = values
            for token in tokens { all[token.variable] = token.value(now) }
            return all
        }
    }

    private func compiled(
        _ call: Call, _ base: String, _ options: HTTPOptions, _ captured: Set<String>
    ) throws(SettingError) -> TemplateCall {
        let own = Set(settings.map(\.key) + choices.map(\.variable) + credentials.map(\.variable)).union(captured)
        func text(_ text: String, _ place: TemplatePlace) throws(SettingError) -> TemplateText {
            try TemplateText(text, place: place, key: "type") { own.contains($0) || TemplateVariable.exists($0) }
        }
        var fields: [(name: String, value: TemplateText)] = []
        for header in headers { fields.append((header.name, try text(header.value, .header))) }
        for header in options.headers { fields.append((header.name, try text(header.value, .header))) }
        return TemplateCall(
            method: call.method, url: try text(base + call.path, .url), headers: fields,
            fixedHeaders: options.secretHeaders,
            body: try text(call.body, .json), contentType: "application/json", success: SuccessRule(),
            captures: call.captures)
    }

    /// The settings as variables.
    private func values(_ settings: SinkSettings) -> [String: TemplateValue] {
        var values: [String: TemplateValue] = [:]
        for setting in self.settings {
            if let text = settings.text(setting.key) { values[setting.key] = .text(text) }
            if let number = settings.numberText(setting.key) { values[setting.key] = .json(number) }
        }
        for choice in choices where settings.text(choice.key) == choice.value {
            values[choice.variable] = .json("true")
        }
        return values
    }

    private func secrets(_ settings: SinkSettings) throws(SettingError) -> [PresetToken] {
        var tokens: [PresetToken] = []
        for credential in credentials { tokens.append(try PresetToken(credential, settings)) }
        return tokens
    }
}

extension Preset.Credential {
    /// The variable that it becomes.
    var variable: String {
        switch self {
        case .file(_, let variable), .webToken(_, _, let variable): variable
        }
    }
}
