// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

/// Whether a place in a JSON template lies within a string.
struct TemplateQuotes {
    private(set) var isInside = false
    private var isEscaped = false
    /// How it stood where each open condition began.
    private var begun: [Bool] = []

    /// Passes over a part of the template's own text.
    mutating func read(_ text: String) {
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isInside.toggle()
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isInside
            }
        }
    }

    /// False where a condition ends otherwise than it began: what comes after it would be a string at one event, and
    /// none at another.
    mutating func meets(_ tag: TemplateTag) -> Bool {
        switch tag.kind {
        case .begin, .beginInverted: begun.append(isInside)
        case .end: return begun.popLast() == isInside
        case .value, .json: break
        }
        return true
    }
}

extension TemplateValue {
    /// Whether it can stand in JSON without quotes: JSON, or a number in a text, which some points of sale send.
    var standsBare: Bool {
        switch self {
        case .json: true
        case .text(let text):
            if case .number? = try? JSONReader.read(Array(text.utf8)) {
                !text.contains { $0.isWhitespace }
            } else {
                false
            }
        }
    }
}
