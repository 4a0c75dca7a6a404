// SPDX-License-Identifier: Apache-2.0

/// Bytes that cannot be what they are said to be.
package struct DecodeError: Error, Hashable, Sendable {
    /// A stable word for scripts.
    package let code: String
    /// What is wrong, without a full stop.
    package let reason: String

    package init(_ code: String, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
