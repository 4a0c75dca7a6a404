// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import InAppProvisioning

/// `extension`
struct ExtensionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extension", abstract: "Check an issuer's Wallet extension.", subcommands: [ExtensionCheck.self])
}

/// `extension check`
struct ExtensionCheck: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Visit an extension as Wallet does, and report.",
        discussion: """
            The extension's code (a subclass of PKIssuerProvisioningExtensionHandler) is compiled into a program with the
            product ProvisioningTesting of this package. Its whole main.swift is

              import ProvisioningTesting
              await ExtensionHarness(MyExtension()).main()

            PATH is that program, or the folder of its package, which is then built and run. The program calls status,
            the lists of entries, and the request for each card with a TEST authority's certificates; this command shows
            and judges its report. What the program prints goes to standard error. Exit status 1 when a check fails, or
            when the program ends without a report.

            EXAMPLES:
              countertop extension check .build/debug/my-extension-check
              countertop extension check ../MyWalletExtension --product my-extension-check --watch
              countertop extension check .build/debug/my-extension-check --report out.xml --json
            """)

    @Argument(help: ArgumentHelp("The program, or its package's folder.", valueName: "path")) var path: String

    @Argument(parsing: .postTerminator, help: ArgumentHelp("Arguments for the program, after `--`."))
    var arguments: [String] = []

    @Option(help: ArgumentHelp("Which executable of the package.", valueName: "name")) var product: String?

    @Flag(help: "Pair a watch with the phone.") var watch = false

    @Option(help: ArgumentHelp("How long the program may run, seconds.", valueName: "seconds"))
    var timeout = 600.0

    @Option(help: ArgumentHelp("Write the report: .json, .xml (JUnit) or .txt.", valueName: "file"))
    var report: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard timeout.isFinite, (0.1...86_400).contains(timeout) else {
            throw ValidationError("--timeout takes 0.1 to 86400 seconds")
        }
    }

    func perform(_ talk: Talk) async throws {
        let file = try report.map { path in try ReportFile(path) }
        let program = try ExtensionProgram(
            path, product: product, arguments: arguments, hasWatch: watch,
            limit: .milliseconds(Int(timeout * 1000)))
        talk.say("running \(path)")
        let result = try await program.run(talk)
        if let file { try file.write(result) }
        try ConformanceView(report: result, isOK: result.isOK).show(talk)
    }
}
