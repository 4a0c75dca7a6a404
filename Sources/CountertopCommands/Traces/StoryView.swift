// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import AppleVAS
internal import BERTLV
internal import CounterServer
internal import EMVContactless
internal import ISO7816

/// A trace told as a story, as text and as JSON.
struct StoryView {
    let trace: APDUTrace
    let format: String
    let stories: [Story]

    init(_ trace: APDUTrace, format: String, authorities: AuthorityKeys = AuthorityKeys()) {
        (self.trace, self.format) = (trace, format)
        // Without the authority's key a signature stays as closed as a redacted one: the story says so beside the outcome.
        stories = trace.taps.map { Story($0, authorities: authorities, isRedacted: true) }
    }

    // MARK: text

    func text(_ talk: Talk) -> [String] {
        let header = trace.header.lines.map { line in
            let text = Printable.text(CardholderMask.on.text(line.text))
            return line.key.map { "\(talk.paint($0, .bold)): \(text)" } ?? text
        }
        let taps = stories.enumerated().flatMap { index, story in
            let time = story.milliseconds.map { ", \($0) ms" } ?? ""
            return ["", talk.paint("tap \(index + 1): \(story.steps.count) commands\(time)", .bold)]
                + story.steps.enumerated().flatMap { text($1, $0 + 1, story.milliseconds, talk) }
                + ending(story, talk)
        }
        return header + taps
    }

    private func text(_ step: Story.Step, _ number: Int, _ total: Int?, _ talk: Talk) -> [String] {
        let time = step.exchange.milliseconds.map { "  (\($0) ms\(share($0, total).map { ", \($0) %" } ?? ""))" } ?? ""
        let comments = step.exchange.comments.map { "   # \(Printable.text(CardholderMask.on.text($0)))" }
        let command = (step.command?.text ?? [CardholderMask.on.hex(step.exchange.command).text]).map { "   > \($0)" }
        let data = step.terminalData.map { ["     the terminal's data:"] + $0.text.map { "       \($0)" } } ?? []
        let answer =
            step.isLost
            ? ["   < \(talk.paint("the card left", .red))"]
            : (step.response?.text ?? [CardholderMask.on.hex(step.exchange.response).text]).map { "   < \($0)" }
        return ["\(number). \(talk.paint(step.name, .bold))\(time)"] + comments + command + data + answer
    }

    private func share(_ time: Int, _ total: Int?) -> Int? {
        guard let total, total > 0 else { return nil }
        return (min(time, 86_400_000) * 100 + total / 2) / total
    }

    private func ending(_ story: Story, _ talk: Talk) -> [String] {
        var lines: [String] = []
        if let wallet = story.wallet { lines.append("wallet: \(wallet)") }
        for pass in story.passes {
            let merchant = pass.merchantID.map { "merchant \(Hex.encode($0.prefix(8)))…" } ?? "URL only"
            let data = pass.hasData ? ", pass data handed out" : ""
            lines.append("pass, \(merchant): \(pass.status)\(data)")
        }
        if let payment = story.payment { lines += PaymentReplayView(payment).text(talk) }
        if lines.isEmpty { lines.append("neither a pass nor a payment was asked for") }
        return [talk.paint("how it ended", .bold)] + lines.map { "   \($0)" }
    }

    // MARK: JSON

    var json: JSON {
        .object([
            "format": .string(format),
            "header": .array(
                trace.header.lines.map {
                    .object([
                        "key": .optional($0.key), "text": .string(CardholderMask.on.text($0.text)),
                    ])
                }),
            "taps": .array(stories.map(json)),
        ])
    }

    private func json(_ story: Story) -> JSON {
        .object([
            "milliseconds": story.milliseconds.map { .number($0) },
            "steps": .array(story.steps.enumerated().map { json($1, $0 + 1, story.milliseconds) }),
            "vas": story.wallet == nil && story.passes.isEmpty
                ? nil
                : .object([
                    "wallet": .optional(story.wallet), "passes": .array(story.passes.map(json)),
                ]),
            "payment": story.payment.map { PaymentReplayView($0).json },
        ])
    }

    private func json(_ step: Story.Step, _ number: Int, _ total: Int?) -> JSON {
        let time = step.exchange.milliseconds
        return .object([
            "number": .number(number), "name": .string(step.name), "milliseconds": time.map { .number($0) },
            "percent": time.flatMap { share($0, total) }.map { .number($0) },
            "lost": step.isLost ? true : nil,
            "comments": step.exchange.comments.isEmpty
                ? nil : .array(step.exchange.comments.map { .string(CardholderMask.on.text($0)) }),
            "command": step.command?.json, "terminalData": step.terminalData?.json, "response": step.response?.json,
        ])
    }

    private func json(_ pass: Story.PassAnswer) -> JSON {
        .object([
            "merchantID": .optional(pass.merchantID.map { Hex.encode($0) }),
            "statusWord": .string(pass.status.statusWord.description), "meaning": .string(pass.status.meaning),
            "hasData": .bool(pass.hasData),
        ])
    }
}

/// How a payment ended and why.
struct PaymentReplayView {
    let payment: PaymentReplay

    init(_ payment: PaymentReplay) { self.payment = payment }

    func text(_ talk: Talk) -> [String] {
        var lines: [String] = []
        if let result = payment.result {
            let outcome = result.outcome
            let start = outcome.start.map { ", start \($0.rawValue)" } ?? ""
            lines.append("payment: \(talk.paint(outcome.value.rawValue, .bold))\(start)")
            lines.append("why: \(outcome.reason)")
            if let kernel = result.kernel { lines.append("kernel: \(kernel)") }
            if let application = result.application { lines.append("application: \(Hex.encode(application))") }
            if let number = result.data.maskedPAN { lines.append("account number: \(number)") }
            if let verification = outcome.verification { lines.append("cardholder: \(verification.rawValue)") }
            if let message = outcome.uiRequestOnOutcome { lines.append("message: \(message.message)") }
            if let words = authentication { lines.append("offline data authentication: \(words)") }
            for word in verificationResults { lines.append("terminal verification results: \(word)") }
        }
        if let failure = payment.failure { lines.append("payment: no outcome: \(failure)") }
        if !payment.missing.isEmpty {
            lines.append("not in the trace: \(payment.missing.joined(separator: ", "))")
        }
        return lines
    }

    private var authentication: String? {
        payment.result?.authentication.map { result in
            "\(result.method) " + (result.failure.map { "failed: \($0)" } ?? "verified")
        }
    }

    private var verificationResults: [String] {
        guard let result = payment.result else { return [] }
        return BitFields.words(for: 0x95, in: .emv, result.verificationResults.bytes)
    }

    var json: JSON {
        let result = payment.result
        return .object([
            "outcome": .optional(result?.outcome.value.rawValue),
            "reason": .optional(result?.outcome.reason.text ?? payment.failure),
            "reasonCode": .optional(result?.outcome.reason.code),
            "start": .optional(result?.outcome.start?.rawValue),
            "kernel": .optional(result?.kernel?.description),
            "application": .optional(result?.application.map { Hex.encode($0) }),
            "accountNumber": .optional(result?.data.maskedPAN),
            "verification": .optional(result?.outcome.verification?.rawValue),
            "message": .optional(result?.outcome.uiRequestOnOutcome?.message.description),
            "authentication": .optional(authentication),
            "terminalVerificationResults": .optional(result.map { Hex.encode($0.verificationResults.bytes) }),
            "terminalVerificationWords": .array(verificationResults.map { .string($0) }),
            "missing": .array(payment.missing.map { .string($0) }),
        ])
    }
}
