// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import EmulatedWallet
internal import WalletCrypto

/// `verify-pass`
struct VerifyPass: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-pass", abstract: "Check a .pkpass, down to an emulated tap.",
        discussion: """
            Looks at the archive, pass.json, the manifest's hashes, the signature, and the nfc dictionary; then taps an
            emulated phone that holds the pass, and opens what it hands out with --key. Without --root the signer's
            chain cannot be followed and that is a warning. Exit status 1 when a check fails.

            EXAMPLES:
              countertop verify-pass club.pkpass --key club.pem
              countertop verify-pass club.pkpass --key club.pem --root AppleRootCA-G3.pem --json
            """.flowing)

    @Argument(help: ArgumentHelp("The pass.", valueName: "pkpass")) var file: String

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The private NFC key of the pass.", valueName: "file"))
    var key: String?

    @Option(help: ArgumentHelp("A certificate to trust, PEM or DER. Repeat it for several.", valueName: "file"))
    var root: [String] = []

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let privateKey = try key.map { path in try KeyFile.privateKey(path) }
        let roots = try root.map(Self.certificate)
        let bytes = try InputFile.read(file, limit: InputFile.passLimit)
        let verification = await PassVerification.run(bytes, key: privateKey, roots: roots)
        try verification.show(talk)
    }

    private static func certificate(_ path: String) throws -> X509Certificate {
        let bytes = try InputFile.read(path, limit: InputFile.keyLimit)
        do { return try X509Certificate(reading: bytes) } catch {
            let mapped = ToolError(error)
            throw ToolError(
                .data, code: mapped.code, "\(path): \(mapped.reason)",
                hint: mapped.hint ?? "--root takes a certificate, PEM or DER")
        }
    }
}
