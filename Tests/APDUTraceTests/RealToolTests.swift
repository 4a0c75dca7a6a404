// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import EmulatedWallet
import Foundation
import ISO7816
import TestSupport
import Testing

/// The tools themselves talk to an emulated card in a real pcscd, and what they print today is imported.
@Suite(
    "Import of what real tools print", .serialized, .timeLimit(.minutes(3)),
    .enabled(
        if: PrivatePCSCD.isAvailable,
        Comment(rawValue: PrivatePCSCD.unavailableReason ?? "a private pcscd can be started here")))
struct RealToolTests {
    /// A tool: what must be there, how it is run, which file has its text, what the importer calls it.
    struct Tool: Sendable, CustomTestStringConvertible {
        let name: String
        let needs: [String]
        let script: String
        let output: String
        let format: String
        var testDescription: String { name }
    }

    private static let opensc = #"opensc-tool -r 0 -s "$C1" -s "$C2" -s "$C3""#
    private static let spyLibrary = "libpcscspy.so.0"

    static let tools: [Tool] = [
        Tool(
            name: "pcscd --apdu", needs: ["opensc-tool"], script: "\(opensc) >/dev/null", output: "@log",
            format: "pcscd"),
        Tool(
            name: "opensc-tool", needs: ["opensc-tool"], script: "\(opensc) >out.txt", output: "out.txt",
            format: "opensc-tool"),
        Tool(
            name: "scriptor", needs: ["scriptor"],
            script: #"printf '%s\n%s\n%s\n' "$C1" "$C2" "$C3" >commands; scriptor -r "$READER" commands >out.txt"#,
            output: "out.txt", format: "scriptor"),
        Tool(
            name: "pcsc-spy (raw)", needs: ["opensc-tool", spyLibrary],
            script: """
                mkfifo "$HOME/pcsc-spy"; cat "$HOME/pcsc-spy" >out.txt & OPENSC_CONF=$PWD/spy.conf \(opensc) >/dev/null; wait
                """,
            output: "out.txt", format: "pcsc-spy (raw)"),
        Tool(
            name: "pcsc-spy", needs: ["opensc-tool", "pcsc-spy", spyLibrary], script: spy("-n"), output: "out.txt",
            format: "pcsc-spy"),
        Tool(
            name: "pcsc-spy --diffable", needs: ["opensc-tool", "pcsc-spy", spyLibrary], script: spy("-n -d"),
            output: "out.txt", format: "pcsc-spy"),
        Tool(
            name: "pyscard", needs: ["@pyscard"], script: #""$COUNTERTOP_PYTHON" observer.py >out.txt"#,
            output: "out.txt",
            format: "pyscard"),
    ]

    private static func spy(_ options: String) -> String {
        """
        pcsc-spy \(options) >out.txt 2>&1 & while [ ! -p "$HOME/pcsc-spy" ]; do sleep 0.05; done
        OPENSC_CONF=$PWD/spy.conf \(opensc) >/dev/null; wait
        """
    }

    private static let observer = """
        import os
        from smartcard.CardConnectionObserver import ConsoleCardConnectionObserver
        from smartcard.System import readers
        from smartcard.util import toBytes
        reader = [r for r in readers() if str(r) == os.environ["READER"]][0]
        connection = reader.createConnection()
        connection.addObserver(ConsoleCardConnectionObserver())
        connection.connect()
        for name in ("C1", "C2", "C3"):
            connection.transmit(toBytes(os.environ[name]))
        connection.disconnect()
        """

    private static let libraries = [
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
    ]

    /// What is missing for a tool, nil when it can run.
    private static func missing(_ tool: Tool, _ folder: TemporaryFolder) -> String? {
        tool.needs.first { need in
            if need == "@pyscard" {
                return (try? Outside.run(Outside.python, ["-c", "import smartcard"], in: folder)) == nil
            }
            let folders = need.hasPrefix("lib") ? libraries : ["/usr/bin", "/usr/local/bin"]
            return !folders.contains { FileManager.default.fileExists(atPath: "\($0)/\(need)") }
        }
    }

    @Test("says the same as the card", arguments: tools)
    func tool(_ tool: Tool) async throws {
        let folder = try TemporaryFolder()
        if let missing = Self.missing(tool, folder) {
            print("skipped: \(missing) is not installed, so \(tool.name) was not run")
            return
        }
        let daemon = try PrivatePCSCD(readerName: "Trace PCD", arguments: ["--apdu"])
        let phone = EmulatedPhone(PhoneDefinition())
        let card = VPCDCard(phone, at: VPCDAddress(host: "127.0.0.1", port: daemon.port))
        try card.start()
        try #require(try await card.waitUntilReady(timeout: .seconds(20)), "pcscd did not take the card")
        let commands = [
            "00A404000A4F53452E5641532E303100", "00A404000E325041592E5359532E444446303100", "00B2010C00",
        ]
        let library = Self.libraries.map { $0 + "/" + Self.spyLibrary }.first {
            FileManager.default.fileExists(atPath: $0)
        }
        try folder.write("observer.py", Self.observer)
        try folder.write(
            "spy.conf", "app default { reader_driver pcsc { provider_library = \(library ?? "none"); } }")
        let setting: [(String, String)] = [
            ("HOME", folder.url.path(percentEncoded: false)), ("READER", daemon.slotNames[0]),
            ("PCSCLITE_CSOCK_NAME", daemon.socketPath), ("COUNTERTOP_PYTHON", Outside.python ?? ""),
        ]
        let words = zip(["C1", "C2", "C3"], commands).map { ($0, Self.pairs($1)) } + setting
        let exports = words.map { "export \($0.0)='\($0.1)'" }.joined(separator: "\n")
        _ = try Outside.run("/bin/sh", ["-c", exports + "\ncd \"$HOME\"\n" + tool.script], in: folder)
        let path = tool.output == "@log" ? daemon.logPath : folder.url.path(percentEncoded: false) + "/" + tool.output
        let imported = try TraceImport(file: path)
        #expect(imported.format == tool.format)
        // Tools have commands of their own before ours.
        let ours = imported.trace.exchanges.suffix(3)
        #expect(ours.map { Hex.encode($0.command) } == commands)
        #expect(ours.first?.response.suffix(2) == [0x90, 0x00] && ours.first?.response.first == 0x6F)
        #expect(ours.allSatisfy { $0.response.count >= 2 })
    }

    private static func pairs(_ hex: String) -> String {
        stride(from: 0, to: hex.count, by: 2).map { start in
            String(hex.dropFirst(start).prefix(2))
        }.joined(separator: " ")
    }
}
