// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ArgumentParser
internal import CounterServer
internal import ISO7816
internal import ProximityReader

/// What every reading command takes: passes, keys, and conditions.
struct ReadingOptions: ParsableArguments {
    @OptionGroup var passes: PassOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var freshness: FreshnessOptions
    @OptionGroup var conditions: ConditionOptions

    /// The keys, which a judgement on freshness needs.
    func ring(and more: [String]) throws -> VASKeyRing {
        let ring = try keys.ring(and: more)
        guard freshness.maxAge == nil || !ring.keys.isEmpty else {
            throw ToolError(.usage, "--max-age needs the --key that opens the pass data")
        }
        return ring
    }

    /// A read of passes alone.
    func passJob(_ words: (passes: [PassSpecification], keys: [String])) throws -> PassJob {
        let ring = try ring(and: words.keys)
        return PassJob(request: try passes.request(and: words.passes), ring: ring, judge: freshness.judge)
    }

    /// Reads once, telling each event, and shows the result.
    func readOnce(
        _ opened: OpenedReader, _ setting: CounterRun.Setting, _ job: some ReadJob, _ talk: Talk
    ) async throws {
        var setting = setting
        setting.conditions = try conditions.list(talk.console)
        let run = try CounterRun(opened, setting, talk) { event in talk.say(event.line) }
        let view: ReadView
        do { view = try await job.read(run, talk) } catch let failure as ReadFailure {
            let error = ToolError(failure)
            guard talk.isJSON else {
                for line in job.text(failure, talk) { try talk.result(line) }
                throw error
            }
            try talk.result(json: job.json(error, failure, events: run.events), text: [])
            throw talk.spoken(error)
        }
        try talk.result(json: view.json, text: view.text)
        if let complaint = view.complaint { throw talk.spoken(complaint) }
    }
}

extension PaymentCardReader.Event {
    /// Apple's name, with the percentage where there is one.
    var line: String {
        if case .updateProgress(let percent) = self { "\(name) \(percent) %" } else { name }
    }

    var json: JSON {
        if case .updateProgress(let percent) = self {
            .object(["event": .string(name), "progress": .number(percent)])
        } else {
            .object(["event": .string(name)])
        }
    }
}

extension OpenedReader {
    /// Tells which reader it is, and what the person has to do when it cannot wake a phone.
    func introduce(_ talk: Talk) async {
        talk.detail("reader: \(reader.name)")
        if case .manual(let advice) = await reader.polling { talk.say(advice) }
    }
}
