// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import EmulatedWallet
internal import Foundation
internal import InAppProvisioning
internal import PassKit

/// `provision`
struct Provision: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision", abstract: "Add a card to an emulated Wallet through an issuer's back end.",
        discussion: """
            Plays the phone and the app: hands certificates, nonce and signature of a TEST authority to the back end as
            the profile says, opens what comes back with the leaf's key, and judges everything. The back end must be told
            to trust the test root, and must never be told so in production.

            The report goes to standard output, progress to standard error. Exit status 1 when a check fails. A mistake
            in the envelope is named by a stable id (iv-16-bytes, kdf-no-counter, partyv-spki, still-base64, …).
            With --probes wrong and repeated requests follow, to see what the back end refuses (groups C and N). With
            --runs sound ones follow, for the times (R-p95) and for mistakes that few keys show: with 1000 of them some
            coordinate almost surely begins with a zero byte.

            Card numbers are never sent, and are masked in the report unless --unmask is given. ARGUMENTS ARE VISIBLE to
            everybody on this machine: prefer --card-file to --pan for anything but test cards.

            With --phone the card lands in a phone's file, where `countertop pay --reader emulated:FILE` reads it. Only
            published test numbers go in; for others the network's own test card stands in.

            EXAMPLES:
              countertop provision --issuer http://127.0.0.1:8080 --profile tmp --card-file cards.json
              countertop provision --issuer http://127.0.0.1:8080 --profile plain --pan 4111111111111111 \\
                --expiration 12/30 --name "A CARDHOLDER" --json
              countertop provision --issuer https://issuer.example --ca test-ca.pem --token token.txt \\
                --profile our-profile.json --card card-1 --probes --report out.xml
              countertop provision --issuer http://127.0.0.1:8080 --profile tmp --card-file cards.json --phone phone.json
            """.flowing)

    @Option(help: ArgumentHelp("Where the back end is, http or https.", valueName: "url")) var issuer: String

    @Option(help: ArgumentHelp("The interface: a name of `profile list`, or a file.", valueName: "name|file"))
    var profile: String

    @OptionGroup var card: ProvisionedCardOptions

    @Flag(help: "Add the card to the paired watch.") var watch = false

    @Option(help: ArgumentHelp("A bearer token for the back end.", valueName: "file")) var token: String?

    @Option(
        help: ArgumentHelp("Certificates of authorities to trust instead of the system's, PEM.", valueName: "file"))
    var ca: String?

    @Option(help: ArgumentHelp("How long the back end may take, seconds.", valueName: "seconds"))
    var timeout = 20.0

    @Option(help: ArgumentHelp("How many sound requests to send, for times and keys.", valueName: "count"))
    var runs = 1

    @Flag(help: "Send wrong and repeated requests too.") var probes = false

    @Option(help: ArgumentHelp("The phone's (or watch's) file that the card is added to.", valueName: "file"))
    var phone: String?

    @Option(help: ArgumentHelp("Write the report: .json, .xml (JUnit) or .txt.", valueName: "file"))
    var report: String?

    @Flag(help: "Show card numbers in the report.") var unmask = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard timeout.isFinite, (0.1...600).contains(timeout) else {
            throw ValidationError("--timeout takes 0.1 to 600 seconds")
        }
        guard (1...100_000).contains(runs) else { throw ValidationError("--runs takes 1 to 100000") }
    }

    func perform(_ talk: Talk) async throws {
        let url = try IssuerURL(issuer)
        let profile = try ProfileFiles.profile(profile)
        let choice = try card.choice()
        let file = try report.map { path in try ReportFile(path) }
        let phoneFile = try phone.map { path in try PhoneFile(path) }
        let bearer = try token.map(Self.bearer)
        if url.isPlain { talk.say("warning: requests to \(url.text) are not encrypted") }
        let backEnd = try BackEnd(url, token: bearer, limit: .milliseconds(Int(timeout * 1000)), authority: ca)
        let run = ProvisioningRun(
            backEnd: backEnd, profile: profile, card: choice, device: watch ? .watch : .phone, count: runs,
            hasProbes: probes, isUnmasked: unmask)
        let result: ProvisioningRun.Result
        do { result = try await run.run(talk) } catch {
            await backEnd.close()
            throw error
        }
        await backEnd.close()
        if let file { try file.write(result.report) }
        if let phoneFile { try land(result, phoneFile, talk) }
        try ConformanceView(report: result.report, outcome: result.outcome.rawValue, isOK: result.isOK).show(talk)
    }

    private func land(_ result: ProvisioningRun.Result, _ file: PhoneFile, _ talk: Talk) throws {
        guard let card = result.card, !card.requiresActivation else {
            return talk.say("\(file.path) stays as it is: there is no new card that is ready to pay")
        }
        guard let payment = ProvisioningWallet.paymentCard(for: card) else {
            return talk.say("\(file.path) stays as it is: the card's network is not known; see --network")
        }
        try file.add(payment)
        let isItself = payment.pan != nil
        talk.say(
            "the card is in \(file.path)" + (isItself ? "" : ", with a test number of its network in place of its own"))
    }

    /// A token: one line of the characters that a header may have (RFC 6750, 2.1).
    private static func bearer(_ path: String) throws(ToolError) -> String {
        let bytes = try InputFile.read(path, limit: 1 << 16)
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ToolError(.data, "\(path): this is no bearer token", hint: "one line, no blanks")
        }
        return text
    }
}
