// SPDX-License-Identifier: Apache-2.0

/// A value that nothing prints: `print`, `dump`, string interpolation and mirrors show its kind only.
public protocol Concealed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Concealed {
    /// The kind of value, and no more.
    public var description: String { "<\(Self.self), concealed>" }
    /// The kind of value, and no more.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
