// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ArgumentParser
internal import CounterServer
internal import ISO7816

/// `apdu`
struct APDU: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "apdu", abstract: "Send commands to a card, and compare the status words.",
        discussion: """
            Each argument is a command in hex, with the expected status word behind `=` if there is one; X stands for
            any digit. It stops with status 1 at the first status word that is not the expected one. --verbose takes
            the answers apart.

            EXAMPLES:
              countertop apdu 00A404000A4F53452E5641532E303100=9000
              countertop apdu 00A4040007A0000002471001=9000 00B0000010=61XX --reader pcsc:ACR122
            """.flowing)

    @Argument(
        help: ArgumentHelp("A command, and the status word it should get.", valueName: "hex[=sw]"),
        transform: ExpectedAPDU.init(parsing:))
    var commands: [ExpectedAPDU]

    @OptionGroup var reader: ReaderOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let opened = try await OpenedReader.open(try reader.choice(talk.console))
        talk.detail("reader: \(opened.reader.name)")
        _ = try await opened.reader.waitForCard(timeout: reader.wait)
        let commands = commands
        let script = try await opened.reader.withCard(ending: .reset) { channel in APDUScript(commands, over: channel) }
        try talk.result(json: script.json, text: script.text(detailed: output.verbose > 0))
        if let failure = script.failure { throw talk.spoken(ToolError(failure)) }
        guard script.isAsExpected else {
            throw talk.spoken(ToolError(.checkFailed, code: "unexpectedStatus", script.complaint))
        }
    }
}

/// What a series of commands brought.
struct APDUScript: Sendable {
    struct Step: Sendable {
        let sent: ExpectedAPDU
        let response: ResponseAPDU
        let milliseconds: Int
        var isAsExpected: Bool { sent.accepts(response.status) }
    }

    private(set) var steps: [Step] = []
    private(set) var failure: CardChannelError?

    /// Stops at the first answer that is not the expected one.
    init(_ commands: [ExpectedAPDU], over channel: any CardChannel) {
        for command in commands {
            let start = ContinuousClock.now
            do {
                let response = try channel.transmit(command.command)
                let time = (ContinuousClock.now - start) / .milliseconds(1)
                steps.append(Step(sent: command, response: response, milliseconds: Int(time.rounded())))
            } catch { failure = error }
            if failure != nil || !isAsExpected { break }
        }
    }

    var isAsExpected: Bool { steps.allSatisfy(\.isAsExpected) }

    var complaint: String {
        guard let step = steps.last else { return "nothing was sent" }
        return "the status word is \(step.response.status), not \(step.sent.expected ?? "")"
    }

    var json: JSON {
        .object([
            "ok": .bool(isAsExpected && failure == nil),
            "exchanges": .array(
                steps.map { step in
                    .object([
                        "command": .string(Hex.encode(step.sent.command.bytes)),
                        "response": .string(Hex.encode(step.response.bytes)),
                        "statusWord": .string(step.response.status.description),
                        "expected": .optional(step.sent.expected), "ok": .bool(step.isAsExpected),
                        "milliseconds": .number(step.milliseconds),
                    ])
                }),
            "error": failure.map { .string($0.reason) },
        ])
    }

    func text(detailed: Bool) -> [String] {
        steps.flatMap { step -> [String] in
            let lines = ["> \(Hex.encode(step.sent.command.bytes))", "< \(Hex.encode(step.response.bytes))"]
            let decoded = detailed ? (try? Decoded(step.response.bytes, as: .response))?.text ?? [] : []
            return lines + decoded.map { "  \($0)" }
        }
    }
}

/// A command with the status word it should get.
struct ExpectedAPDU: Sendable {
    let command: CommandAPDU
    /// Four upper-case digits, X for any.
    let expected: String?

    /// Takes a text such as `00B0000010=9000` apart.
    init(parsing text: String) throws(ValidationError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let hex = parts.first ?? ""
        let bytes: [UInt8]
        do { bytes = try Hex.decode(hex) } catch { throw ValidationError(error.description) }
        do { command = try CommandAPDU(bytes) } catch { throw ValidationError(error.description) }
        expected = parts.count == 2 ? parts[1].uppercased() : nil
        guard let expected else { return }
        guard expected.count == 4, expected.allSatisfy({ $0.isASCII && $0.isHexDigit || $0 == "X" }) else {
            throw ValidationError("a status word is four hex digits, X for any")
        }
    }

    func accepts(_ status: StatusWord) -> Bool {
        guard let expected else { return true }
        return zip(expected, status.description).allSatisfy { $0 == "X" || $0 == $1 }
    }
}
