// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import InAppProvisioning

/// `profile`
struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Interfaces of issuers' back ends: list, show, check one's own.",
        subcommands: [ProfileCheck.self, ProfileList.self, ProfileShow.self])
}

/// `profile check`
struct ProfileCheck: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a file that describes an interface.",
        discussion: """
            Reads the file, sends a request and an answer through it and back, and says what is wrong with it. Exit
            status 1 when a check fails. `countertop profile show plain` prints a file to start from.

            EXAMPLES:
              countertop profile show plain > ours.json
              countertop profile check ours.json
              countertop profile check ours.json --json
            """)

    @Argument(help: ArgumentHelp("The profile, or `-` for standard input.", valueName: "file")) var file: String
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let bytes = file == "-" ? try talk.console.readInput() : try InputFile.read(file, limit: InputFile.keyLimit)
        try ProfileFiles.check(bytes).show(talk)
    }
}

/// `profile list`
struct ProfileList: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the built-in interfaces.",
        discussion: """
            EXAMPLES:
              countertop profile list
              countertop profile list --json
            """)

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let width = ProcessorProfile.builtIn.map(\.name.count).max() ?? 0
        try talk.result(
            json: .object([
                "profiles": .array(
                    ProcessorProfile.builtIn.map { profile in
                        .object([
                            "name": .string(profile.name), "title": .string(profile.title),
                            "method": .string(profile.method), "path": .string(profile.path),
                            "source": .string(profile.source),
                        ])
                    })
            ]),
            text: ProcessorProfile.builtIn.flatMap { profile in
                let indent = String(repeating: " ", count: width + 2)
                return [
                    profile.name + indent.dropFirst(profile.name.count) + "\(profile.method) \(profile.path)",
                    indent + profile.source,
                ]
            })
    }
}

/// `profile show`
struct ProfileShow: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print an interface as a file, to start one's own from.",
        discussion: """
            The file is JSON either way; --json only changes how errors are told.

            EXAMPLES:
              countertop profile show tmp
              countertop profile show marqeta > ours.json
            """)

    @Argument(help: ArgumentHelp("A name of `profile list`, or a file.", valueName: "name|file")) var name: String
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        var text = try ProfileFiles.profile(name).file()
        while text.last?.isNewline == true { text.removeLast() }
        try talk.result(text)
    }
}
