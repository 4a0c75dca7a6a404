// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import CounterServer
internal import ISO7816

/// A trace as the tool shows it.
struct TraceView {
    let trace: APDUTrace

    func text(_ talk: Talk) -> [String] {
        let header = trace.header.lines.map { line in
            let text = CardholderMask.on.text(line.text)
            return line.key.map { "\(talk.paint($0, .bold)): \(text)" } ?? text
        }
        let taps = trace.taps.enumerated().flatMap { index, tap in
            ["", talk.paint("tap \(index + 1)", .bold)] + text(tap)
        }
        return header + taps
    }

    private func text(_ tap: APDUTrace.Tap) -> [String] {
        let exchanges = tap.exchanges.flatMap { exchange -> [String] in
            let time = exchange.milliseconds.map { "  (\($0) ms)" } ?? ""
            return exchange.comments.map { "# \(CardholderMask.on.text($0))" }
                + marked(exchange.command, as: .command, with: ">")
                + marked(exchange.response, as: .response, with: "<", after: time)
        }
        let lost = tap.lost.map { marked($0.command, as: .command, with: ">") + ["< (the card left)"] } ?? []
        return exchanges + lost + tap.closingComments.map { "# \(CardholderMask.on.text($0))" }
    }

    private func marked(
        _ bytes: [UInt8], as kind: Decoded.Kind, with mark: String, after suffix: String = ""
    ) -> [String] {
        let lines = (try? Decoded(bytes, as: kind))?.text ?? [CardholderMask.on.hex(bytes).text]
        return lines.enumerated().map { index, line in
            (index == 0 ? "\(mark) " : "  ") + line + (index == lines.count - 1 ? suffix : "")
        }
    }

    var json: JSON {
        .object([
            "header": .array(
                trace.header.lines.map {
                    .object(["key": .optional($0.key), "text": .string(CardholderMask.on.text($0.text))])
                }),
            "taps": .array(trace.taps.map(json)),
        ])
    }

    private func json(_ tap: APDUTrace.Tap) -> JSON {
        .object([
            "exchanges": .array(tap.exchanges.map(json)),
            "lost": tap.lost.map { .string(CardholderMask.on.hex($0.command).text) },
        ])
    }

    private func json(_ exchange: TraceExchange) -> JSON {
        .object([
            "command": .string(CardholderMask.on.hex(exchange.command).text),
            "response": .string(CardholderMask.on.hex(exchange.response).text),
            "milliseconds": exchange.milliseconds.map { .number($0) },
            "comments": .array(exchange.comments.map { .string(CardholderMask.on.text($0)) }),
            "decodedCommand": (try? Decoded(exchange.command, as: .command))?.json,
            "decodedResponse": (try? Decoded(exchange.response, as: .response))?.json,
        ])
    }
}
