// SPDX-License-Identifier: Apache-2.0

internal import CounterServer

/// What ends a command: what is wrong, what to do, and how the process exits.
struct ToolError: Error, Equatable, Sendable {
    let status: ExitStatus
    /// A stable word for scripts.
    let code: String
    /// What is wrong: lower case, no full stop.
    let reason: String
    /// What to do.
    let hint: String?

    init(_ status: ExitStatus, code: String? = nil, _ reason: String, hint: String? = nil) {
        self.status = status
        self.code = code ?? Self.codes[status] ?? "failed"
        self.reason = Self.manners(reason)
        self.hint = hint.map(Self.manners)
    }

    /// An error whose reason begins with a place, such as `FILE:LINE`, and stays as it is.
    init(_ status: ExitStatus, code: String?, exactly reason: String, hint: String?) {
        (self.status, self.reason, self.hint) = (status, reason, hint)
        self.code = code ?? Self.codes[status] ?? "failed"
    }

    private static let codes: [ExitStatus: String] = [
        .checkFailed: "checkFailed", .usage: "usage", .data: "invalidData", .noInput: "unreadableFile",
        .unavailable: "unavailable", .internalFailure: "internalFailure", .inputOutput: "inputOutput",
        .temporary: "temporary", .refused: "refused", .configuration: "configuration", .interrupted: "interrupted",
        .closedPipe: "closedPipe",
    ]

    /// Nobody reads the results any more: nothing is left to say.
    static let closedPipe = ToolError(.closedPipe, "the results are no longer read")
    /// The results have said it all.
    static func silent(_ status: ExitStatus) -> ToolError { ToolError(status, code: "silent", "") }
    /// Ctrl-C.
    static let interrupted = ToolError(.interrupted, "interrupted")

    /// One line for a person, lower case at its beginning unless a name stands there, without a final full stop.
    private static func manners(_ text: String) -> String {
        var text = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
        while text.hasSuffix(".") { text.removeLast() }
        guard let first = text.first, let second = text.dropFirst().first, first.isUppercase,
            second.isLowercase || second == " ", !names.contains(where: { text.hasPrefix($0) })
        else { return text }
        return first.lowercased() + text.dropFirst()
    }

    /// Words that keep their capital.
    private static let names = ["Apple", "Google", "Samsung", "Wallet", "Swift", "Base64"]

    /// The error as `--json` has it.
    var json: JSON { .object(["error": .string(reason), "code": .string(code), "hint": .optional(hint)]) }
}
