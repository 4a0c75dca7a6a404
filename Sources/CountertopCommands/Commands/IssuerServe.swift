// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import Foundation
internal import InAppProvisioning

/// `issuer serve`
struct IssuerServe: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Answer wallets over HTTP as an issuer's back end does.",
        discussion: """
            Checks the chain, seals the card for the device, and answers in the interface that was asked. It refuses a
            nonce that it has seen. Once it listens, a line with "ready" and its URL goes to standard error; Ctrl-C and
            SIGTERM end it with status 0 after the requests that are there.

            THE CARDS' FILE is yours alone (chmod 600):
              {"cards": [{"id": "card-1", "primaryAccountNumber": "…", "expiration": "12/30", "name": "A CARDHOLDER",
                          "network": "visa", "activationData": "Base64, may be left out"}]}
            Requests name a card by its id, never by its number.

            CHAINS are checked against --root: for iPhones a file with Apple Root CA - G3, for the emulated Wallet
            --trust-test-root. Anybody can make chains that the test root signs: never on a service that has real cards.

            PROFILES are \(ProcessorProfile.builtIn.map(\.name).joined(separator: ", ")), or a file that describes one.
            All are answered when none is given.

            FAULTS: \(IssuerFault.spellings).

            THE AUDIT LOG has one JSON object a line: time, request, milliseconds, profile, card (its id), status, code,
            chain (findings). Never a number, a blob, a key, a nonce, a signature or a URL.

            EXAMPLES:
              countertop issuer serve --cards cards.json --trust-test-root
              countertop issuer serve --cards cards.json --root AppleRootCA-G3.cer --profile tmp --token-file tokens \\
                --listen 0.0.0.0:8443 --tls-certificate server.pem --tls-key server-key.pem --audit audit.log
              countertop issuer serve --cards cards.json --trust-test-root --listen 127.0.0.1:0 --fault status=503
            """.flowing)

    @OptionGroup(title: "The issuer") var issuer: IssuerOptions
    @OptionGroup(title: "The service") var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let settings = try issuer.settings()
        var server = try self.server.settings()
        guard !(self.server.audit == "-" && output.json) else {
            throw ToolError(.usage, "--audit - and --json both print to standard output")
        }
        let sink = try self.server.audit.map { try AuditSink($0, talk) }
        server.audit = sink.map { sink in { @Sendable line in sink.write(line) } }
        server.logger = talk.logger("countertop.server")
        let service = try IssuerServer(settings, server)
        warn(talk)
        let scheme = server.identity == nil ? "http" : "https"
        let names = settings.profiles.map(\.name)
        let work = Task {
            try await service.run { address in Self.tell("\(scheme)://\(address)", names, talk) }
        }
        sink?.onFailure { work.cancel() }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            work.cancel()
        }
        if let failure = sink?.failure { throw failure }
        try result.get()
    }

    /// Scripts wait for the line, so --quiet keeps it.
    private static func tell(_ url: String, _ profiles: [String], _ talk: Talk) {
        if talk.isJSON {
            let json = JSON.object(["url": .string(url), "profiles": .array(profiles.map { .string($0) })])
            try? talk.result(json: json, text: [])
        }
        talk.console.say("countertop: ready: the issuer listens at \(url)")
    }

    /// What nobody should learn too late; --quiet does not hide it.
    private func warn(_ talk: Talk) {
        if issuer.trustTestRoot {
            talk.console.say(
                "countertop: WARNING: the test root is trusted: "
                    + "anybody can make a chain that this issuer seals cards for")
        }
        if server.allowAnyone {
            talk.console.say("countertop: WARNING: this issuer answers anyone who can reach it")
        }
        if let fault = issuer.fault {
            talk.console.say("countertop: WARNING: this issuer fails on purpose: \(fault)")
        }
    }
}
