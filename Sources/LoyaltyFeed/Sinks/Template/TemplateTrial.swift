// SPDX-License-Identifier: Apache-2.0

/// Templates without a sink around them: what fuzzing needs.
package enum TemplateTrial {
    /// The text that a template gives for an event, in each place it may stand; nil where the template or the event
    /// does not do.
    package static func render(_ text: String, _ event: OutgoingEvent, _ context: SinkContext) -> [String?] {
        let source = TemplateVariable.Source(event, context)
        return [TemplatePlace.json, .form, .url, .header].map { place in
            let template = try? TemplateText(text, place: place, key: "body", isKnown: TemplateVariable.exists)
            return try? template?.render { TemplateVariable.value($0, source) }
        }
    }
}
