// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import LoyaltyFeed

/// A type of sink for people and for programs.
enum SinkTypeView {
    static func json(_ type: SinkType) -> JSON {
        .object([
            "name": .string(type.name), "help": .string(type.help), "source": .string(type.source),
            "keys": .array((type.settings + SinkFactory.common).map(json)),
        ])
    }

    private static func json(_ setting: SinkSetting) -> JSON {
        .object([
            "key": .string(setting.key), "kind": .string(setting.kind.name), "required": .bool(setting.isRequired),
            "default": setting.fallback.map(JSON.init), "help": .string(setting.help),
        ])
    }

    static func text(_ type: SinkType) -> [String] {
        let settings = type.settings + SinkFactory.common
        let width = settings.map(\.key.count).max() ?? 0
        let keys = settings.map { setting in
            let need =
                setting.isRequired ? "; required" : setting.fallback.map { "; default \(JSON($0).compact)" } ?? ""
            let key = setting.key + String(repeating: " ", count: width - setting.key.count)
            return "  \(key)  \(setting.help) (\(setting.kind.name)\(need))"
        }
        return ["\(type.name): \(type.help)", "after \(type.source)"] + keys
    }
}
