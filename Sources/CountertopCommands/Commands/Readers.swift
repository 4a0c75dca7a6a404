// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import ISO7816
internal import PCSC

/// `readers`
struct Readers: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "List the PC/SC readers, whether a card is there, and whether they can wake a phone.",
        discussion: """
            A name, or a part of it, is what `--reader pcsc:NAME` takes.

            EXAMPLES:
              countertop readers
              countertop readers --json
            """.flowing)

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let names = try await PCSCReader.readerNames()
        var rows: [ReaderRow] = []
        for name in names {
            // A reader that went away since is listed without a card.
            let card = try? await PCSCReader(name: name).waitForCard(timeout: .zero)
            rows.append(ReaderRow(name: name, polling: PollingRoute.route(forReaderNamed: name).support, card: card))
        }
        if rows.isEmpty { talk.say("there is no reader; plug one in, or see `countertop doctor`") }
        try talk.result(
            json: .object(["readers": .array(rows.map(\.json))]),
            text: rows.flatMap { ["\($0.name)", "  \($0.cardText)", "  \($0.polling.text)"] })
    }
}

/// One reader as it is listed.
private struct ReaderRow {
    let name: String
    let polling: PollingSupport
    let card: CardPresence?

    var cardText: String { card.map { "a card is there: \(Hex.encode($0.atr))" } ?? "no card" }

    var json: JSON {
        .object([
            "name": .string(name), "wakesPhone": .bool(polling.isAutomatic), "polling": .string(polling.text),
            "cardPresent": .bool(card != nil), "atr": card.map { .string(Hex.encode($0.atr)) } ?? .null,
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
