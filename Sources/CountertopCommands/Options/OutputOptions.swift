// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer

/// How every command talks.
struct OutputOptions: ParsableArguments {
    enum Color: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never
    }

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say more; twice shows every APDU.")
    var verbose: Int

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    @Option(help: ArgumentHelp("Colour on standard error and output: auto, always or never.", valueName: "when"))
    var color = Color.auto
}
