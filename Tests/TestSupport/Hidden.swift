// SPDX-License-Identifier: Apache-2.0

public import Testing

/// A test argument that the test's output does not show: card numbers have no place there.
public struct Hidden<Value: Sendable>: Sendable, CustomTestStringConvertible {
    /// The argument.
    public let value: Value
    /// What is shown for it.
    public let testDescription: String
}

extension Array where Element: Sendable {
    /// The same arguments, shown by their number.
    public var hidden: [Hidden<Element>] {
        enumerated().map { Hidden(value: $0.element, testDescription: "case \($0.offset + 1)") }
    }
}
