// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Logging
internal import LoyaltyFeed
internal import ProximityReader

/// The kinds of values that only the counter's own tables have.
extension SettingKind {
    /// A kind of text: what is wrong with it, or nil.
    private static func text(_ name: String, _ fault: @escaping @Sendable (String) -> String?) -> SettingKind {
        SettingKind(name) { value in
            guard case .string(let text) = value else { return SettingKind.text.fault(value) }
            return fault(text)
        }
    }

    /// 1 to 64 letters, digits, `-` and `_`: it stands in URLs, subjects and topics.
    static let identifier = text("name") { text in
        let isFit = (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
        return isFit ? nil : "must be 1 to 64 letters, digits, - and _"
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    static let reader = text("reader") { text in
        ReaderChoice(text) == nil ? "must be pcsc, pcsc:NAME, emulated:FILE or replay:FILE" : nil
    }

    static let tap = text("tap") { text in
        CounterConfiguration.Tap(text) == nil ? "must be \"manual\" or such as \"every 2s\"" : nil
    }

    /// Digits, and a point with digits after it, if any: fewer than ten, as a terminal has them.
    static let amount = text("amount") { text in
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber =
            (1...2).contains(parts.count)
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
        return isNumber && text.utf8.count <= 10 ? nil : "must be an amount such as \"12.50\""
    }

    static let currency = text("currency") { text in
        let isCode = text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        return isCode ? nil : "must be three letters of ISO 4217 such as \"EUR\""
    }

    static let language = text("language") { text in
        StaticFiles.languages.contains(text)
            ? nil : "must be one of \(StaticFiles.languages.joined(separator: ", ")), the languages that the pages have"
    }

    static let listenAddress = text("address") { text in
        do {
            _ = try ListenAddress(parsing: text)
            return nil
        } catch { return "must be such as \"127.0.0.1:8787\", \"[::1]:8787\" or \"localhost:0\"" }
    }

    /// Names or addresses, with a port or without: what stands in a request's Host field.
    static let hosts = SettingKind("hosts") { value in
        if let fault = SettingKind.texts.fault(value) { return fault }
        guard case .array(let items) = value else { return nil }
        for case .string(let text) in items where Authority(text) == nil {
            return "must be names such as \"counter.example\", without https:// and path: \"\(text)\" is none"
        }
        return nil
    }

    static let webAddress = text("URL") { text in
        let isWeb = text.hasPrefix("https://") || text.hasPrefix("http://")
        return isWeb && URL(string: text)?.host() != nil ? nil : "must be an http or https URL"
    }

    static let logLevel = oneOf(Logger.Level.allCases.map(\.rawValue))
}

extension CounterConfiguration.Tap {
    /// `manual`, or `every` and a time that is not zero.
    init?(_ text: String) {
        if text == "manual" {
            self = .manual
            return
        }
        let words = text.split(separator: " ")
        guard words.count == 2, words[0] == "every", let time = SettingDuration.parse(String(words[1])), time > .zero
        else { return nil }
        self = .every(time)
    }
}
