// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ArgumentParser
internal import CounterServer

/// `decrypt`
struct Decrypt: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt", abstract: "Open pass data that a phone handed out.",
        discussion: """
            HEX is the value of tag 9F27, or `-` for standard input. The key is chosen by the key id in the data; when
            no --key matches, that is said before anything is tried. Exit status 1 when it does not open, or when it is
            older than --max-age.

            EXAMPLES:
              countertop decrypt --pass pass.com.example.club --key club.pem 5F1C…
              pbpaste | countertop decrypt --pass pass.com.example.club --key old.pem --key new.pem --json -
            """.flowing)

    @Option(name: .shortAndLong, help: ArgumentHelp("The pass type identifier it was read for.", valueName: "id"))
    var pass: PassSpecification

    @OptionGroup var keys: KeyOptions
    @OptionGroup var freshness: FreshnessOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: ArgumentHelp("The data in hex, or `-`.", valueName: "hex"))
    var words: [String]

    func validate() throws {
        if keys.key.isEmpty { throw ValidationError("Missing expected argument '--key <file>'") }
    }

    func perform(_ talk: Talk) async throws {
        let (hex, files) = Words.split(words) { $0 == "-" || $0.allSatisfy(\.isHexDigit) }
        var ring = try keys.ring(and: files)
        ring.prepare(passTypeIdentifier: pass.id)
        let data = try HexInput.bytes(hex, talk.console)
        let payload = try ring.decrypt(data, passTypeIdentifier: pass.id).get()
        var view = PayloadView(payload)
        view.freshness = freshness.judge?.check(payload, cryptogram: data)
        try talk.result(json: view.json, text: view.text)
        if let complaint = view.freshness?.complaint { throw talk.spoken(complaint) }
    }
}
