// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ArgumentParser
internal import ISO7816
internal import ProximityReader

/// What every reading command takes: passes, keys, and conditions.
struct ReadingOptions: ParsableArguments {
    @OptionGroup var passes: PassOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var conditions: ConditionOptions

    /// Reads once, telling each event, and shows the result.
    func readOnce(
        _ opened: OpenedReader, _ setting: CounterRun.Setting, words: (passes: [PassSpecification], keys: [String]),
        _ talk: Talk
    ) async throws {
        let ring = try keys.ring(and: words.keys)
        let request = try passes.request(and: words.passes)
        var setting = setting
        setting.conditions = try conditions.list(talk.console)
        let run = try CounterRun(opened, setting, talk) { event in talk.say(event.line) }
        let view = ReadResultView(result: try await run.read(request), ring: ring)
        try talk.result(json: view.json, text: view.text(talk))
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
