// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ArgumentParser
internal import ProximityReader

/// `replay`
struct Replay: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Read from a recorded trace instead of a card.",
        discussion: """
            Commands are matched by meaning: the same pass asked for in another form gets the recorded answer, and
            passes that are not asked for are skipped. With --strict commands must be the recorded bytes, in the
            recorded order, but for the nonce, which is new in every tap.

            EXAMPLES:
              countertop replay tap.apdu --pass pass.com.example.club --key club.pem
              countertop replay tap.apdu --pass pass.com.example.club --key club.pem --json --strict
            """)

    @OptionGroup var reading: ReadingOptions

    @Flag(help: "Take the recorded commands only, byte for byte but for the nonce.")
    var strict = false

    @OptionGroup var output: OutputOptions

    @Argument(help: ArgumentHelp("The trace.", valueName: "file"))
    var words: [String]

    func perform(_ talk: Talk) async throws {
        let (file, keys) = Words.split(words, preferring: .first) { $0.hasSuffix(".apdu") }
        let opened = try await OpenedReader.open(.replay(file: file), matching: strict ? .varying : .byMeaning)
        try await reading.readOnce(opened, CounterRun.Setting(wait: .seconds(1)), words: ([], keys), talk)
    }
}
