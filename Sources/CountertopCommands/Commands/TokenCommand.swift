// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import Foundation
internal import ProximityReader
internal import WalletCrypto

/// `token`
struct TokenCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Mint a reader token for prepare(using:).",
        discussion: """
            A JWT signed with ES256. Without --key it is signed with this machine's development key, which a counter
            checks tokens with unless COUNTERTOP_TOKEN_KEY names another.

            EXAMPLES:
              countertop token
              countertop token --merchant shop-42 --expires-in -60
              countertop token --key psp.pem --json
            """.flowing)

    @Option(help: ArgumentHelp("Whose reads it allows.", valueName: "id"))
    var merchant = "countertop"

    @Option(help: ArgumentHelp("Who made it.", valueName: "name"))
    var issuer = "countertop"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long it is good for, in seconds; below zero, it has expired.", valueName: "seconds"))
    var expiresIn = 48 * 3_600

    @Flag(help: "The merchant may accept the terms again with another account.")
    var relink = false

    @Option(name: .shortAndLong, help: ArgumentHelp("The private key that signs it.", valueName: "file"))
    var key: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard abs(Double(expiresIn)) < 1e10 else { throw ValidationError("--expires-in is out of range") }
    }

    func perform(_ talk: Talk) async throws {
        let environment = talk.console.environment
        let signer =
            try key.map { path in try KeyFile.privateKey(path) }
            ?? DevelopmentTokenKey.load(path: DevelopmentTokenKey.path(environment: environment))
        let expires = Date(timeIntervalSinceNow: TimeInterval(expiresIn))
        let content = ReaderToken(issuer: issuer, merchantID: merchant, expires: expires, mayRelink: relink)
        let token = try content.signed(with: signer).rawValue
        let json = JSON.object([
            "token": .string(token), "merchantId": .string(merchant), "issuer": .string(issuer),
            "expires": .string(expires.formatted(.iso8601)), "publicKey": .string(signer.publicKey.pem()),
        ])
        try talk.result(json: json, text: [token])
    }
}
