// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import AppleVAS
internal import ArgumentParser
internal import CounterServer
internal import ISO7816
internal import PCSC
internal import ProximityReader

/// `pay`
struct Pay: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "pay", abstract: "Read a payment card, with passes in the same tap if asked for.",
        discussion: """
            A READ, NEVER AN APPROVAL: the card gives a request for an online authorisation, sealed to --psp-key; nobody
            is asked and no money moves. This is a test counter, not certified for accepting payments.

            With --pass the phone's pass is read first, in the same tap: without --stop-on-pass both come back when both
            are there, with it a pass ends the read. `countertop psp open` opens the sealed part on the provider's side;
            `countertop psp key` makes the two halves of a key for it.

            Exit status 0 when something was read, 1 when the card was declined or could not be read (with
            --include-error after a result that says so), 75 when no card came or a phone stayed locked.

            With --watch or --count it reads tap after tap, as `watch` does; --jsonl prints an object a line.

            EXAMPLES:
              countertop pay --amount 12.50 --currency EUR --psp-key psp-public.pem
              countertop pay --amount 12.50 --currency EUR --pass pass.com.example.club --key club.pem --json
              countertop pay --amount 5 --currency EUR --pass pass.com.example.club --stop-on-pass
              countertop pay --verify lookUp --currency EUR --reader emulated:phone.json --trace tap.apdu
            """.flowing)

    @OptionGroup var payment: PaymentOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var reader: ReaderOptions

    @Option(name: .customLong("trace"), help: ArgumentHelp("Keep the APDUs, without card data.", valueName: "file"))
    var traceFile: String?

    @Flag(help: "Overwrite the trace if it exists.")
    var force = false

    @Flag(help: "Read tap after tap, until Ctrl-C.")
    var watch = false

    @Option(
        name: [.customShort("n"), .long], parsing: .unconditional,
        help: ArgumentHelp("Read tap after tap, and end after so many results.", valueName: "number"))
    var count: Int?

    @Flag(help: "One JSON object a line, with --watch or --count.")
    var jsonl = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(visibility: .hidden) var free: FreeWords

    private var isRepeated: Bool { watch || count != nil }

    func validate() throws {
        try payment.check(passes: reading.passes.pass)
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
        guard !jsonl || isRepeated else { throw ValidationError("--jsonl goes with --watch or --count") }
        guard traceFile == nil || !isRepeated else {
            throw ValidationError("--trace keeps one read: it goes with neither --watch nor --count")
        }
        guard !force || traceFile != nil else { throw ValidationError("--force goes with --trace") }
    }

    func perform(_ talk: Talk) async throws {
        if let traceFile { try OutputFile.check(traceFile, overwriting: force) }
        let job = try reading.paymentJob(payment, (free.passes, free.keys))
        let choice = try reader.choice(talk.console)
        var setting = CounterRun.Setting(payment: try payment.setup(talk), options: payment.readerOptions)
        let wakes = reader.wakesPhone(talk.console) ? payment.pollingMode(hasPasses: job.hasPasses) : nil
        if isRepeated {
            setting.conditions = try reading.conditions.list(talk.console)
            let watching = Watching(
                lines: jsonl || output.json, talk: talk, job: job, wait: reader.timeout == 60 ? nil : reader.wait,
                choice: choice, wakesPhone: wakes, setting: setting)
            do { try await watching.run(count: count) } catch ToolError.interrupted { return }
            return
        }
        let opened = try await OpenedReader.open(choice, wakingPhone: wakes)
        await opened.introduce(talk)
        setting.wait = reader.wait
        guard let traceFile else { return try await reading.readOnce(opened, setting, job, talk) }
        let recorder = TraceRecorder(header: TraceFile.header(what, opened.reader.name))
        setting.recorder = recorder
        try await TraceFile(path: traceFile, overwriting: force).keeping(recorder, talk) {
            try await reading.readOnce(opened, setting, job, talk)
        }
    }

    private var what: String {
        let passes = reading.passes.pass.map(\.id).joined(separator: ", ")
        let amount = payment.amount.map { "a payment of \($0) \(payment.currency ?? "")" } ?? "a card without an amount"
        return passes.isEmpty ? amount : "\(amount), with \(passes)"
    }
}

extension PaymentOptions {
    var readerOptions: PaymentCardReader.Options {
        var options = PaymentCardReader.Options()
        options.includeErrorInReadResult = includeError
        return options
    }

    /// The modes of 9F26 are those of the polling frame (kormax/apple-enhanced-contactless-polling).
    func pollingMode(hasPasses: Bool) -> PollingRoute.Mode {
        guard hasPasses else { return .paymentOnly }
        return stopOnPass ? .vasOrPayment : .vasAndPayment
    }
}

extension ReadingOptions {
    /// A read of a card, with the passes if there are any.
    func paymentJob(
        _ payment: PaymentOptions, _ words: (passes: [PassSpecification], keys: [String]), defaultAmount: String? = nil
    ) throws -> PaymentJob {
        let ring = try ring(and: words.keys)
        let hasPasses = !(passes.pass + words.passes).isEmpty
        let request = try payment.request(
            passes: hasPasses ? try passes.request(and: words.passes) : nil, defaultAmount: defaultAmount)
        return PaymentJob(request: request, ring: ring, judge: freshness.judge)
    }
}

extension PaymentJob {
    var hasPasses: Bool { if case .both = request { true } else { false } }
}
