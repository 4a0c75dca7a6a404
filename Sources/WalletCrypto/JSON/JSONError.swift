// SPDX-License-Identifier: Apache-2.0

/// Why a text is not taken as JSON. Holds no byte of the text.
package struct JSONError: Error, Hashable, Sendable {
    /// What is wrong, in one sentence without a full stop.
    package let reason: String
    /// Which byte, unless it is about the whole.
    package let offset: Int?

    package init(reason: String, offset: Int? = nil) { (self.reason, self.offset) = (reason, offset) }
}
