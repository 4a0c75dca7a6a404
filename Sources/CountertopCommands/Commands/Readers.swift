// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import ISO7816
internal import PCSC

/// `readers`
struct Readers: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers", abstract: "List the PC/SC readers, and whether they can wake a phone.",
        discussion: """
            A name, or a part of it, is what `--reader pcsc:NAME` takes.

            EXAMPLES:
              countertop readers
              countertop readers --json
            """)

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let names = try await PCSCReader.readerNames()
        let rows = names.map { ReaderRow(name: $0, polling: PollingRoute.route(forReaderNamed: $0).support) }
        if rows.isEmpty { talk.say("there is no reader; plug one in, or see `countertop doctor`") }
        try talk.result(
            json: .object(["readers": .array(rows.map(\.json))]),
            text: rows.flatMap { ["\($0.name)", "  \($0.polling.text)"] })
    }
}

/// One reader as it is listed.
private struct ReaderRow {
    let name: String
    let polling: PollingSupport

    var json: JSON {
        .object([
            "name": .string(name), "wakesPhone": .bool(polling.isAutomatic), "polling": .string(polling.text),
        ])
    }
}

extension PollingSupport {
    var isAutomatic: Bool { if case .automatic = self { true } else { false } }

    var text: String {
        switch self {
        case .automatic(let route): "wakes the phone: \(route)"
        case .manual(let advice): "cannot wake the phone: \(advice)"
        }
    }
}
