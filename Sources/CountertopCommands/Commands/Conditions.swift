// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import ProximityReader

/// `conditions`
struct Conditions: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "conditions", abstract: "List what can be made to go wrong with --conditions.",
        discussion: """
            Each is something that otherwise happens only on a phone, so that an app's handling of it can be tested.
            Some take a value: deviceBanned=2030-01-01T00:00:00Z, slowPreparation=20, unknown=42.

            EXAMPLES:
              countertop conditions
              countertop watch --jsonl --pass pass.com.example.club --conditions nfcDisabled
            """.flowing)

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let names = Condition.Name.allCases.map(\.rawValue)
        try talk.result(json: .object(["conditions": .array(names.map { .string($0) })]), text: names)
    }
}
