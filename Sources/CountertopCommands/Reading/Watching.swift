// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import CounterServer
internal import ISO7816
internal import PCSC
internal import ProximityReader

/// Tap after tap, whatever becomes of the reader.
struct Watching {
    let lines: Bool
    let talk: Talk
    let job: any ReadJob
    let wait: Duration?
    let choice: ReaderChoice
    let wakesPhone: PollingRoute.Mode?
    /// What the read is set up with beyond waiting.
    var setting = CounterRun.Setting()

    /// Between two attempts to find a reader again, and between two taps of a phone that taps by itself.
    private static let pause = Duration.seconds(1)

    /// - Throws: `ToolError.interrupted` when the task is cancelled; what the first opening of the reader throws.
    func run(count: Int?) async throws {
        var opened = try await OpenedReader.open(choice, wakingPhone: wakesPhone)
        await opened.introduce(talk)
        var run = try start(opened)
        var left = count
        while left != 0 {
            if Task.isCancelled { throw ToolError.interrupted }
            do {
                try show(try await job.read(run, talk))
                left = left.map { $0 - 1 }
                if opened.phone != nil, left != 0 { try await rest() }
            } catch let failure as ReadFailure {
                if await opened.isUsedUp { return talk.say("the trace is used up") }
                let error = ToolError(failure)
                try show(error, failure, run.events)
                guard error.status == .unavailable else {
                    if opened.isAutomatic || failure.tap == nil { try await rest() }
                    continue
                }
                opened = try await reopen()
                run = try start(opened)
            }
        }
    }

    private func start(_ opened: OpenedReader) throws -> CounterRun {
        var setting = setting
        (setting.wait, setting.removalWait) = (wait, opened.isAutomatic ? .zero : .seconds(2))
        return try CounterRun(opened, setting, talk) { [lines, talk] event in
            if lines { try talk.result(event.json.compact) } else { talk.say(event.line) }
        }
    }

    /// Waits for the reader to come back; says so once.
    private func reopen() async throws -> OpenedReader {
        talk.say("the reader is gone; waiting for it")
        while true {
            try await rest()
            guard let opened = try? await OpenedReader.open(choice, wakingPhone: wakesPhone) else { continue }
            talk.say("the reader is back: \(opened.reader.name)")
            return opened
        }
    }

    private func rest() async throws {
        do { try await Task.sleep(for: Self.pause) } catch { throw ToolError.interrupted }
    }

    private func show(_ view: ReadView) throws {
        if lines { return try talk.result(JSON.object(["result": view.json]).compact) }
        for line in view.text { try talk.result(line) }
    }

    private func show(_ error: ToolError, _ failure: ReadFailure, _ events: [String]) throws {
        if lines { try talk.result(job.json(error, failure, events: events).compact) }
        talk.warn(error)
    }
}

extension OpenedReader {
    /// A phone in process, or a trace.
    var isAutomatic: Bool { phone != nil || trace != nil }

    /// Whether this is a trace with nothing left.
    fileprivate var isUsedUp: Bool {
        get async {
            guard let trace else { return false }
            return await trace.remaining == 0
        }
    }
}
