// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import ArgumentParser
internal import BERTLV
internal import CounterServer
internal import EMVContactless
internal import ISO7816
internal import ProximityReader

/// `replay`
struct Replay: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Read from a recorded trace instead of a card.",
        discussion: """
            Commands are matched by meaning: the same pass asked for in another form gets the recorded answer, and
            passes that are not asked for are skipped. With --strict commands must be the recorded bytes, in the
            recorded order, but for the nonce, which is new in every tap.

            With --pay the trace is read as `countertop pay` reads a card, with its options; the amount is 1.00 EUR
            unless another is given; country, random number and qualifiers are the trace's. What depends on amount and
            time is not compared; an application or record that the trace lacks is answered as a card does that has
            none. The trace may be of any kind that `trace import` knows.

            EXAMPLES:
              countertop replay tap.apdu --pass pass.com.example.club --key club.pem
              countertop replay tap.apdu --pass pass.com.example.club --key club.pem --json --strict
              countertop replay card.json --pay --amount 12.50 --currency EUR --psp-key psp-public.pem
            """.flowing)

    @OptionGroup var reading: ReadingOptions

    @Flag(help: "Take the recorded commands only, byte for byte but for the nonce.")
    var strict = false

    @Flag(help: "Read a payment card, as `pay` does.")
    var pay = false

    @OptionGroup(title: "With --pay") var payment: PaymentOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: ArgumentHelp("The trace.", valueName: "file"))
    var words: [String]

    func validate() throws {
        guard pay else {
            try reading.passes.require()
            guard payment.isUntouched else { throw ValidationError("this option goes with --pay") }
            return
        }
        try payment.check(passes: reading.passes.pass)
        guard !strict else { throw ValidationError("--strict does not go with --pay: amount and time always differ") }
    }

    func perform(_ talk: Talk) async throws {
        let (file, keys) = Words.split(words, preferring: .first) { $0.hasSuffix(".apdu") }
        let opened = try await OpenedReader.open(
            .replay(file: file), matching: strict ? .varying : .byMeaning, forgiving: pay)
        var setting = CounterRun.Setting(wait: .seconds(1))
        guard pay else { return try await reading.readOnce(opened, setting, try reading.passJob(([], keys)), talk) }
        let job = try reading.paymentJob(payment, ([], keys), defaultAmount: "1.00")
        setting.payment = try payment.setup(talk)
        if let trace = opened.recorded { setting.payment?.adopt(trace, country: payment.country) }
        setting.options = payment.readerOptions
        try await reading.readOnce(opened, setting, job, talk)
    }
}

extension PaymentSetup {
    /// Takes over what the terminal of a trace was: its applications, its qualifiers, its number and its country.
    fileprivate mutating func adopt(_ trace: APDUTrace, country asked: UInt16?) {
        let values = trace.taps.map(PaymentReplay.terminalData).reduce(into: [:]) { $0.merge($1) { $1 } }
        let names = trace.exchanges.compactMap { PaymentReplay.selected($0.command) }
            .filter { ContextGuess.context(ofApplication: $0) != nil }
        combinations = PaymentReplay.combinations(values, names)
        // Traces of test cards without a directory are read by the names that are configured.
        configuration.triesConfiguredNames = true
        // Of a trace with several taps each would need its own.
        if let tap = trace.taps.first, trace.taps.count == 1 {
            configuration.recorded = PaymentReplay.recorded(
                tap, values, isRedacted: trace.header["REDACTED"] != nil)
        }
        if let number = values[0x9F37], number.count == 4 { unpredictableNumber = { number } }
        if asked == nil, let number = values[0x9F1A].flatMap({ UInt16(Hex.encode($0)) }), (1...999).contains(number) {
            country = number
        }
    }
}
