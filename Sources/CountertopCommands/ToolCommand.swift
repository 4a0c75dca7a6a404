// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// A sub-command: options that say how it talks, and a body that is given its console.
protocol ToolCommand: AsyncParsableCommand {
    var output: OutputOptions { get }

    /// Does the work. A thrown error is put into words by ``ToolError``.
    func perform(_ talk: Talk) async throws
}

extension ToolCommand {
    /// Runs with the process's own streams; ``CountertopTool`` calls ``perform(_:)`` itself.
    mutating func run() async throws { try await perform(Talk(.standard, output)) }
}
