// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import ProximityReader

/// The passes that are asked for.
struct PassOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A pass type identifier, with a sign-up URL (a comma in it is written %2C) and a name if there are any. Repeat it for several.",
            valueName: "id[,url][,name]"))
    var pass: [PassSpecification] = []

    /// For commands that read nothing else.
    func require() throws(ValidationError) {
        guard pass.isEmpty else { return }
        throw ValidationError("Missing expected argument '--pass <id[,url][,name]>'")
    }

    /// The request as an app would write it.
    func request(and more: [PassSpecification] = []) throws -> VASRequest {
        let merchants = try (pass + more).map { specification in
            let url = try specification.url.map { text throws(ToolError) in
                guard let url = URL(string: text) else { throw ToolError(.usage, "\"\(text)\" is no URL") }
                return url
            }
            return VASRequest.Merchant(id: specification.id, url: url, localizedName: specification.name)
        }
        return VASRequest(vasMerchants: merchants)
    }
}

/// Free words after `--pass` and `--key`, so that `--pass A B --key C D` takes them all.
struct FreeWords: ParsableArguments {
    @Argument(help: .hidden) var words: [String] = []

    private static func isPass(_ word: String) -> Bool { word.hasPrefix("pass.") }

    /// Words that are pass type identifiers, which all begin alike (Apple documentation, Wallet).
    var passes: [PassSpecification] { words.filter(Self.isPass).compactMap(PassSpecification.init) }
    /// All others are key files.
    var keys: [String] { words.filter { !Self.isPass($0) } }
}
