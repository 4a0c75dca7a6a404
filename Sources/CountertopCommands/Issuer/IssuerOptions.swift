// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import InAppProvisioning
internal import WalletCrypto

/// What the issuer has and whom it trusts.
struct IssuerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The cards, a file that is yours alone.", valueName: "file"))
    var cards: String

    @Option(
        help: ArgumentHelp("A profile by name or file; repeat it for several.", valueName: "name|file"))
    var profile: [String] = []

    @Option(help: ArgumentHelp("A certificate that chains must end in; repeat it for several.", valueName: "file"))
    var root: [String] = []

    @Option(
        help: ArgumentHelp("A certificate that requests need not bring; repeat it for several.", valueName: "file"))
    var intermediate: [String] = []

    @Flag(help: "Trust the test authority of the emulated Wallet, whose key everybody has.")
    var trustTestRoot = false

    @Option(
        help: ArgumentHelp("Bearer tokens, one a line, in a file that is yours alone.", valueName: "file"))
    var tokenFile: String?

    @Option(help: ArgumentHelp("What to do wrong on purpose.", valueName: "fault"))
    var fault: String?

    func settings() throws -> IssuerSettings {
        var settings = IssuerSettings(cards: try readCards(), chain: try chain())
        if !profile.isEmpty { settings.profiles = try profile.map(ProfileArgument.profile) }
        settings.tokens = try tokens()
        do { settings.fault = try fault.map { text throws(ProvisioningError) in try IssuerFault(text) } } catch {
            throw ToolError(.usage, code: "invalidFault", error.reason, hint: error.hint)
        }
        return settings
    }

    private func readCards() throws -> IssuerCardFile {
        let bytes = try PrivateFile.read(cards)
        do { return try IssuerCardFile(json: bytes) } catch {
            let place = error.offset.map { ", at offset \($0)" } ?? ""
            throw ToolError(.data, code: error.code.rawValue, "\(cards): \(error.reason)\(place)", hint: error.hint)
        }
    }

    private func chain() throws -> IssuerChain {
        guard trustTestRoot || !root.isEmpty else {
            throw ToolError(
                .usage, code: "noRoot", "no root is trusted, so that every chain would be refused",
                hint: "give --root a file with Apple Root CA - G3 (www.apple.com/certificateauthority), or "
                    + "--trust-test-root for the emulated Wallet")
        }
        var chain = IssuerChain(
            roots: try root.map(Self.certificate), intermediates: try intermediate.map(Self.certificate))
        if trustTestRoot {
            let authority = try ProvisioningTestAuthority()
            chain.roots.append(authority.root)
            chain.intermediates.append(authority.intermediate)
        }
        return chain
    }

    private static func certificate(_ path: String) throws -> X509Certificate {
        let bytes = try InputFile.read(path, limit: InputFile.keyLimit)
        do { return try X509Certificate(reading: bytes) } catch {
            throw ToolError(.data, code: error.code.rawValue, "\(path): \(error.reason)", hint: error.hint)
        }
    }

    private func tokens() throws -> [SecretBytes] {
        guard let tokenFile else { return [] }
        let lines = try PrivateFile.read(tokenFile).split { $0 == 0x0A || $0 == 0x0D }
        guard !lines.isEmpty, lines.allSatisfy({ $0.allSatisfy { (0x21...0x7E).contains($0) } }) else {
            throw ToolError(
                .data, code: "invalidToken", "\(tokenFile): tokens are printable ASCII without blanks, one a line")
        }
        return lines.map { SecretBytes(copying: $0) }
    }
}

/// A profile as the command line names it.
enum ProfileArgument {
    /// A row of the table by its name, or the profile that a file describes.
    static func profile(_ text: String) throws -> ProcessorProfile {
        if let profile = ProcessorProfile.named(text) { return profile }
        guard text.contains("/") || text.contains(".") || FileManager.default.fileExists(atPath: text) else {
            let names = ProcessorProfile.builtIn.map(\.name).joined(separator: ", ")
            throw ToolError(
                .usage, code: "unknownProfile", "`\(text)` is no profile and no file", hint: "profiles are \(names)")
        }
        let bytes = try InputFile.read(text, limit: InputFile.keyLimit)
        do { return try ProcessorProfile(file: bytes) } catch {
            let place = error.offset.map { ", at offset \($0)" } ?? ""
            throw ToolError(.data, code: error.code.rawValue, "\(text): \(error.reason)\(place)", hint: error.hint)
        }
    }
}
