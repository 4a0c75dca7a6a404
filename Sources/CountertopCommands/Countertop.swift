// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The root command.
struct Countertop: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "countertop",
        abstract: "A test counter for Wallet passes and contactless cards.",
        discussion: """
            Results go to standard output, talk to standard error. `-` as an argument stands for standard input.

            EXIT STATUS:
            \(ExitStatus.help)

            ENVIRONMENT:
              COUNTERTOP_READER       the reader when --reader is not given
              COUNTERTOP_CONFIG       the counter's configuration when --config is not given
              COUNTERTOP_CONDITIONS   the conditions when --conditions is not given
              COUNTERTOP_WAKE         1 wakes phones, as --wake does
              COUNTERTOP_PSP_KEY      the provider's public key when --psp-key is not given
              COUNTERTOP_CA_KEYS      the authorities' test keys when --ca-keys is not given
              COUNTERTOP_COUNTRY      the counter's country when --country is not given
              PCSCLITE_CSOCK_NAME     the socket of another pcscd
              NO_COLOR                no colour

            This is a test counter, not a payment terminal: what it gets from a card is a read, never an approval.
            """.flowing,
        version: version,
        groupedSubcommands: [
            CommandGroup(name: "At the counter", subcommands: atTheCounter),
            CommandGroup(name: "The provider's side", subcommands: providersSide),
            CommandGroup(name: "The phone and its passes", subcommands: phoneAndPasses),
            CommandGroup(name: "In-app provisioning", subcommands: provisioning),
            CommandGroup(name: "Data and traces", subcommands: dataAndTraces),
        ])

    private static let atTheCounter: [any ParsableCommand.Type] = [
        Readers.self, Doctor.self, Read.self, Pay.self, Watch.self, Record.self, Replay.self, APDU.self,
        TokenCommand.self,
        Conditions.self, Serve.self, ConfigCommand.self, OutboxCommand.self, SinkCommand.self,
    ]
    private static let providersSide: [any ParsableCommand.Type] = [
        LedgerCommand.self
    ]
    private static let phoneAndPasses: [any ParsableCommand.Type] = [
        Emulate.self, VerifyPass.self, KeyCommand.self,
    ]
    private static let provisioning: [any ParsableCommand.Type] = [
        Provision.self, IssuerCommand.self, ProfileCommand.self, ExtensionCommand.self,
    ]
    private static let dataAndTraces: [any ParsableCommand.Type] = [
        Decrypt.self, PSPCommand.self, Decode.self, TraceCommand.self,
    ]

    /// The path of the sub-command that `arguments` name, for the hint after a usage error.
    static func path(in arguments: [String]) -> String {
        var command: any ParsableCommand.Type = Countertop.self
        var path = "countertop"
        for argument in arguments {
            let subcommands = command.configuration.subcommands
            guard let next = subcommands.first(where: { $0._commandName == argument }) else { break }
            command = next
            path += " \(argument)"
        }
        return path
    }
}
