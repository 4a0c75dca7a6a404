// SPDX-License-Identifier: Apache-2.0

import Mustache

/// A template that was checked: its tags are well formed, its variables exist.
struct TemplateText: Sendable {
    /// Why an event cannot be sent with this template, in one sentence without a full stop.
    enum Obstacle: Error, Hashable, Sendable {
        /// The event has no such value.
        case missing(String)
        /// The value cannot stand in this place.
        case unfit(String, String)
    }

    /// The variables that an event must have.
    let required: Set<String>
    /// All variables, of conditions too.
    let names: Set<String>

    private let place: TemplatePlace
    private let template: MustacheTemplate
    /// What the rewritten template calls each value: the names in templates never reach the Mustache library.
    private let slots: [Slot]

    private struct Slot: Hashable, Sendable {
        let tag: TemplateTag
        /// Whether it stands in JSON without quotes around it.
        var isBare = false
        var isCondition: Bool { tag.kind == .begin || tag.kind == .beginInverted || tag.kind == .end }
    }

    /// - Parameters:
    ///   - isKnown: whether a variable of this name exists.
    ///   - key: the setting that the text comes from.
    init(
        _ text: String, place: TemplatePlace, key: String, isKnown: (String) -> Bool
    ) throws(SettingError) {
        let parts: [TemplatePart]
        do throws(TemplateScanner.Fault) {
            parts = try TemplateScanner.parts(text)
        } catch {
            throw SettingError(key, error.reason)
        }
        var (slots, rewritten, required, conditions): ([Slot], String, Set<String>, [String]) = ([], "", [], [])
        var quotes = TemplateQuotes()
        for part in parts {
            switch part {
            case .text(let text):
                rewritten += text
                quotes.read(text)
            case .tag(let tag):
                try Self.check(tag, place, key, isKnown)
                rewritten += Self.rewritten(tag, slots.count)
                if tag.kind == .begin || tag.kind == .beginInverted { conditions.append(tag.name) }
                if tag.kind == .end { conditions.removeLast() }
                let isGuarded = conditions.contains { tag.name == $0 || tag.name.hasPrefix($0 + ".") }
                if tag.kind == .value || tag.kind == .json, !isGuarded { required.insert(tag.name) }
                if case .json = place {
                    guard quotes.meets(tag) else {
                        throw SettingError(key, "has a string that begins or ends within {{#\(tag.name)}}")
                    }
                    slots.append(Slot(tag: tag, isBare: tag.kind == .value && !quotes.isInside))
                } else {
                    slots.append(Slot(tag: tag))
                }
            }
        }
        do {
            template = try MustacheTemplate(string: rewritten)
        } catch {
            throw SettingError(key, "is no Mustache template")
        }
        (self.place, self.slots, self.required) = (place, slots, required)
        names = Set(slots.map(\.tag.name))
    }

    /// The text for one event.
    func render(_ value: (String) -> TemplateValue?) throws(Obstacle) -> String {
        var values: [String: Any] = [:]
        for (index, slot) in slots.enumerated() {
            let found = value(slot.tag.name)
            if slot.isCondition {
                values[Self.condition(slot.tag.name)] = found != nil && found != .json("false")
            } else if let found {
                guard !slot.isBare || found.standsBare,
                    let text = place.rendered(found, asJSON: slot.tag.kind == .json)
                else {
                    throw .unfit(slot.tag.name, place.shown)
                }
                values["v\(index)"] = text
            } else if required.contains(slot.tag.name) {
                throw .missing(slot.tag.name)
            }
        }
        return template.render(values)
    }

    private static func check(
        _ tag: TemplateTag, _ place: TemplatePlace, _ key: String, _ isKnown: (String) -> Bool
    ) throws(SettingError) {
        guard isKnown(tag.name) else {
            throw SettingError(
                key, "there is no variable \(tag.name)",
                hint: SinkFactory.nearest(tag.name, TemplateVariable.table.map(\.name)))
        }
        if tag.kind == .json, case .json = place { return }
        guard tag.kind != .json else {
            throw SettingError(key, "{{{\(tag.name)}}} stands for JSON, which only a JSON body can have")
        }
    }

    /// Escaping is ours, so the library is told to leave values alone.
    private static func rewritten(_ tag: TemplateTag, _ index: Int) -> String {
        switch tag.kind {
        case .value, .json: "{{{v\(index)}}}"
        case .begin: "{{#\(condition(tag.name))}}"
        case .beginInverted: "{{^\(condition(tag.name))}}"
        case .end: "{{/\(condition(tag.name))}}"
        }
    }

    private static func condition(_ name: String) -> String { "has_" + name.replacing(".", with: "__") }
}
