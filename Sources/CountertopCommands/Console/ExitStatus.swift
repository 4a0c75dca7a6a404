// SPDX-License-Identifier: Apache-2.0

/// How the process ends: the numbers of sysexits(3), with 1 for "it ran, and the check failed" as `diff` has it.
struct ExitStatus: Hashable, Sendable, RawRepresentable {
    let rawValue: Int32

    static let success = ExitStatus(rawValue: 0)
    static let checkFailed = ExitStatus(rawValue: 1)
    static let usage = ExitStatus(rawValue: 64)
    static let data = ExitStatus(rawValue: 65)
    static let noInput = ExitStatus(rawValue: 66)
    static let unavailable = ExitStatus(rawValue: 69)
    static let internalFailure = ExitStatus(rawValue: 70)
    static let inputOutput = ExitStatus(rawValue: 74)
    static let temporary = ExitStatus(rawValue: 75)
    static let refused = ExitStatus(rawValue: 77)
    static let configuration = ExitStatus(rawValue: 78)
    /// 128 and the number of SIGINT, as a shell reports it.
    static let interrupted = ExitStatus(rawValue: 130)
    /// 128 and the number of SIGPIPE, as a shell reports it.
    static let closedPipe = ExitStatus(rawValue: 141)

    /// Number and meaning, for `--help`.
    static let table: [(status: ExitStatus, meaning: String)] = [
        (.success, "done"),
        (.checkFailed, "it ran, and a check failed (or traces differ, or data does not open)"),
        (.usage, "the command line is wrong"),
        (.data, "a file or an argument does not hold what it should"),
        (.noInput, "a file is missing or cannot be read"),
        (.unavailable, "no reader, pcscd does not run, or an address cannot be listened at"),
        (.internalFailure, "a fault of countertop itself"),
        (.inputOutput, "reading or writing failed"),
        (.temporary, "try again: no card in time, or it left in the middle"),
        (.refused, "refused: no permission, an open key file, an existing file"),
        (.configuration, "a setting is wrong (reader, conditions, token)"),
        (.interrupted, "interrupted by Ctrl-C (emulate, watch and issuer serve: 0)"),
        (.closedPipe, "whoever read the results went away"),
    ]

    /// The table as lines of help.
    static let help: String = table.map { row in
        let number = String(row.status.rawValue)
        return "  " + String(repeating: " ", count: 3 - number.count) + "\(number)  \(row.meaning)"
    }.joined(separator: "\n")
}
