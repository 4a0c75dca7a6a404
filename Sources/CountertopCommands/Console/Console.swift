// SPDX-License-Identifier: Apache-2.0

/// Where a command's words go: results to one stream, talk to the other. A value that tests replace.
public struct Console: Sendable {
    /// The variables that commands look at.
    public var environment: [String: String]
    /// Whether somebody reads the results on a terminal.
    public var outputIsTerminal = false
    /// Whether somebody reads the talk on a terminal.
    public var errorIsTerminal = false
    private let output: @Sendable ([UInt8]) throws -> Void
    private let error: @Sendable ([UInt8]) -> Void
    private let input: @Sendable () throws -> [UInt8]

    /// A console.
    ///
    /// - Parameters:
    ///   - environment: the variables a command sees.
    ///   - output: takes results; what it throws ends the command.
    ///   - error: takes talk; it cannot fail.
    ///   - input: all of standard input, for arguments that are `-`.
    public init(
        environment: [String: String] = [:],
        output: @escaping @Sendable ([UInt8]) throws -> Void,
        error: @escaping @Sendable ([UInt8]) -> Void,
        input: @escaping @Sendable () throws -> [UInt8] = { [] }
    ) {
        (self.environment, self.output, self.error, self.input) = (environment, output, error, input)
    }

    /// Writes a line of results at once.
    func print(_ line: String) throws { try output(Array((line + "\n").utf8)) }

    /// Writes a line of talk.
    func say(_ line: String) { error(Array((line + "\n").utf8)) }

    /// All of standard input.
    func readInput() throws -> [UInt8] { try input() }
}
