// SPDX-License-Identifier: Apache-2.0

/// Text from a card or a file on a terminal.
package enum Printable {
    /// Control characters and those that change the direction of writing are spelled out.
    package static func text(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
