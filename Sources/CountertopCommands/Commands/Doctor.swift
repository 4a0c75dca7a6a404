// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// `doctor`
struct Doctor: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find out why a reader does not work, and what to do.",
        discussion: """
            Looks at pcscd and its socket, permissions and polkit, kernel modules that hold readers, the readers, and
            whether each can wake a phone. Exit status 0 when there is a reader that can be used, 1 otherwise.

            EXAMPLES:
              countertop doctor
              countertop doctor --json
            """.flowing)

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        try await Diagnosis(environment: talk.console.environment).run().show(talk)
    }
}
