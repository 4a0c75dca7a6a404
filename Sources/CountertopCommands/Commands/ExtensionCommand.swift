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

            With --app the property lists are looked at too: Info.plist and .entitlements of the app and of its two
            extensions, wherever they are in that folder. Each target's stand in a folder of its own, as XML.

            EXAMPLES:
              countertop extension check .build/debug/my-extension-check
              countertop extension check ../MyWalletExtension --product my-extension-check --watch
              countertop extension check .build/debug/my-extension-check --report out.xml --json
              countertop extension check --app ../MyApp
            """.flowing)

    @Argument(help: ArgumentHelp("The program, or its package's folder.", valueName: "path")) var path: String?

    @Option(help: ArgumentHelp("The app's project, to look at its property lists.", valueName: "folder"))
    var app: String?

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
        guard path != nil || app != nil else { throw ValidationError("give a program, a package's folder or --app") }
    }

    func perform(_ talk: Talk) async throws {
        let file = try report.map { path in try ReportFile(path) }
        let targets = try app.map { folder in try AppFolder(folder).targets(talk) } ?? []
        var result = ConformanceReport(TargetChecks.results(targets))
        if let path {
            let program = try ExtensionProgram(
                path, product: product, arguments: arguments, hasWatch: watch,
                limit: .milliseconds(Int(timeout * 1000)))
            talk.say("running \(path)")
            let report = try await program.run(talk)
            let results = targets.isEmpty ? [] : TargetChecks.results(targets)
            result = ConformanceReport(results + report.results, mistakes: report.mistakes)
        }
        if let file { try file.write(result) }
        try ConformanceView(report: result, isOK: result.isOK).show(talk)
    }
}
