// SPDX-License-Identifier: Apache-2.0

/// The name of an enum's case as it is written in the source. Apple does not publish the strings of its `name`
/// properties; the case name without payload is what apps print and compare.
enum CaseName {
    static func of(_ value: some Any) -> String {
        String(String(describing: value).prefix { $0 != "(" })
    }
}
