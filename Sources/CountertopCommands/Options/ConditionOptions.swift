// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import ProximityReader

/// What is wrong with the device that the counter plays.
struct ConditionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What only happens on a phone, by name: nfcDisabled,callInProgress,… (see `countertop conditions`).",
            valueName: "names"))
    var conditions: String?

    func list(_ console: Console) throws(ToolError) -> [Condition] {
        let variable = console.environment["COUNTERTOP_CONDITIONS"] ?? ""
        do { return try Condition.list(parsing: conditions ?? variable) } catch {
            // The names are left to the hint, because there are many.
            let reason = error.description.split(separator: "; there are").first.map(String.init) ?? error.description
            throw ToolError(
                conditions == nil ? .configuration : .usage, reason,
                hint: "`countertop conditions` lists them")
        }
    }
}
