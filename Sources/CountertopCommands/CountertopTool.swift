// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Dispatch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The tool: a command line in, an exit status out. `main` and the tests are its two callers.
public enum CountertopTool {
    /// Runs one command line.
    ///
    /// Cancelling the task interrupts the command: it ends its tap, releases the card and returns.
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - console: where input comes from and output goes.
    /// - Returns: the exit status, see `countertop --help`.
    public static func run(_ arguments: [String], console: Console) async -> Int32 {
        do {
            var command = try Countertop.parseAsRoot(arguments)
            if let command = command as? any ToolCommand { return await perform(command, console).rawValue }
            try command.run()
            return ExitStatus.success.rawValue
        } catch {
            return answer(error, arguments, console).rawValue
        }
    }

    private static func perform(_ command: some ToolCommand, _ console: Console) async -> ExitStatus {
        let talk = Talk(console, command.output)
        do {
            try await command.perform(talk)
            return .success
        } catch {
            let error = ToolError(error)
            talk.report(error)
            return error.status
        }
    }

    /// Help and version are answers; everything else that parsing throws is a wrong command line.
    private static func answer(_ error: any Error, _ arguments: [String], _ console: Console) -> ExitStatus {
        let talk = Talk(console)
        guard !Countertop.exitCode(for: error).isSuccess else {
            let text = Countertop.fullMessage(for: error)
            do { try talk.result(String(text.trimmingSuffix(while: \.isNewline))) } catch {
                talk.report(ToolError(error))
                return ToolError(error).status
            }
            return .success
        }
        let text = Countertop.message(for: error).split(separator: "\n\n").first.map(String.init)
        talk.report(
            ToolError(
                .usage, text ?? "the command line is wrong",
                hint: "see `\(Countertop.path(in: arguments)) --help`"))
        return .usage
    }

    /// Runs the process's own command line and ends the process.
    ///
    /// It is not `async`, so that it comes before anything opens a file: a closed standard stream must not become one.
    public static func main() -> Never {
        StandardStream.occupy()
        let arguments = Array(CommandLine.arguments.dropFirst())
        let task = Task { await run(arguments, console: .standard) }
        let interrupts = Interrupts { task.cancel() }
        Task {
            let status = await task.value
            exit(interrupts.status(for: status))
        }
        dispatchMain()
    }
}

extension StringProtocol {
    /// The text without the last characters that fit.
    fileprivate func trimmingSuffix(while fits: (Character) -> Bool) -> SubSequence {
        var end = endIndex
        while end > startIndex, fits(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
