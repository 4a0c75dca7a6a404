// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import Foundation
internal import LoyaltyFeed
internal import Synchronization

/// `sink receive`
struct SinkReceive: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive", abstract: "Receive webhooks: verify each, print it, answer 204.",
        discussion: """
            Signature and time are checked as Standard Webhooks asks; what does not verify is answered with 401. An id
            that was there before is accepted and counts for nothing. Once it listens, a line with "ready" and its URL
            goes to standard error; Ctrl-C and SIGTERM end it with status 0.

            With --ledger each new id is appended to a file and synced before it is accepted; the ids that the file
            has are duplicates from the beginning.

            To rehearse failures, --answer, --hang, --reset and --slow-body hold for the first --times requests, or for
            all of them.

            EXAMPLES:
              countertop sink receive --secret-file shop.secret
              countertop sink receive --secret-file shop.secret --listen 127.0.0.1:9000 --once --json
              countertop sink receive --secret-file shop.secret --answer 429 --retry-after 1 --times 3
            """.flowing)

    @Option(help: ArgumentHelp("whsec_ or whpk_ lines, a file that is yours alone.", valueName: "file"))
    var secretFile: String
    @Option(help: ArgumentHelp("Where to listen; port 0 takes a free one.", valueName: "host:port"))
    var listen = "127.0.0.1:0"
    @Flag(help: "End after one event.") var once = false
    @Option(help: ArgumentHelp("End after this many events.", valueName: "n")) var count: Int?
    @Option(help: ArgumentHelp("A file for the ids, synced.", valueName: "file")) var ledger: String?

    @Option(help: ArgumentHelp("Answer with this status.", valueName: "status")) var answer: Int?
    @Option(help: ArgumentHelp("Retry-After beside --answer.", valueName: "seconds")) var retryAfter: String?
    @Flag(help: "Take requests and never answer.") var hang = false
    @Flag(help: "Reset the connection instead of an answer.") var reset = false
    @Flag(help: "Answer 200 with a body that never ends.") var slowBody = false
    @Option(help: ArgumentHelp("How many requests fail; else all.", valueName: "n")) var times: Int?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard times ?? 1 > 0, count ?? 1 > 0 else { throw ValidationError("--times and --count begin at 1") }
        guard answer.map({ (200...599).contains($0) }) ?? true else {
            throw ValidationError("--answer is a status of 200 to 599")
        }
        guard retryAfter?.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) ?? true else {
            throw ValidationError("--retry-after is a number of seconds or a date")
        }
    }

    func perform(_ talk: Talk) async throws {
        let keys = try WebhookVerificationKey.all(in: try PrivateFile.read(secretFile))
        let address = try ListenAddress(parsing: listen)
        let printer = ReceivedPrinter(talk, limit: once ? 1 : count)
        let receiver: WebhookReceiver
        do throws(WebhookReceiver.LedgerError) {
            receiver = try WebhookReceiver(
                verifier: WebhookVerifier(keys: keys), ledger: ledger, answers: failures(times ?? 0),
                onWebhook: { printer.add($0) },
                onRejection: { talk.say("refused: \($0.reason)") })
        } catch {
            throw ToolError(.inputOutput, error.reason)
        }
        let always = times == nil ? failures(1).first : nil
        let server: HTTPReceiver
        do {
            server = try await HTTPReceiver(host: address.host, port: address.port) { request in
                always ?? receiver.answer(request)
            }
        } catch {
            throw ToolError(.unavailable, "\(address) cannot be listened at", hint: "another program may be there")
        }
        talk.console.say(
            "countertop: ready: webhooks go to http://\(ListenAddress(host: address.host, port: server.port))")
        let failure = await printer.end()
        await server.close()
        if let failure { throw failure }
    }

    private func failures(_ number: Int) -> [ReceiverAnswer] {
        let headers = retryAfter.map { [(name: "retry-after", value: $0)] } ?? []
        let answer: ReceiverAnswer? =
            hang
            ? ReceiverAnswer(manner: .hang)
            : reset
                ? ReceiverAnswer(manner: .reset)
                : slowBody
                    ? ReceiverAnswer(200, manner: .drip(every: .seconds(1)))
                    : self.answer.map { ReceiverAnswer($0, headers: headers) }
        return answer.map { Array(repeating: $0, count: number) } ?? []
    }
}

/// Prints what was received, and knows when it is enough.
private final class ReceivedPrinter: Sendable {
    private let talk: Talk
    private let limit: Int?
    private let state = Mutex(0)
    private let finished = AsyncStream<ToolError?>.makeStream()

    init(_ talk: Talk, limit: Int?) { (self.talk, self.limit) = (talk, limit) }

    func add(_ webhook: ReceivedWebhook) {
        do {
            try print(webhook)
        } catch {
            finished.continuation.yield(ToolError(error))
            return
        }
        guard !webhook.isDuplicate else { return }
        let seen = state.withLock { count in
            count += 1
            return count
        }
        if let limit, seen >= limit {
            // The answer goes out first.
            Task { [finished] in
                try? await Task.sleep(for: .milliseconds(100))
                finished.continuation.yield(nil)
            }
        }
    }

    /// Waits until enough was received, or until the command is interrupted.
    func end() async -> ToolError? {
        for await failure in finished.stream { return failure }
        return nil
    }

    private func print(_ webhook: ReceivedWebhook) throws {
        let body = String(decoding: webhook.body, as: UTF8.self)
        guard !talk.isJSON else { return try talk.result(Self.line(webhook, body)) }
        try talk.result(webhook.isDuplicate ? "again: \(webhook.id)" : "verified: \(body)")
    }

    /// The event as it came, in an object around it; as a string when it is no JSON.
    private static func line(_ webhook: ReceivedWebhook, _ body: String) -> String {
        let isJSON = !body.contains("\n") && (try? JSONSerialization.jsonObject(with: Data(webhook.body))) != nil
        let id = JSON.string(webhook.id).compact
        return
            "{\"id\":\(id),\"duplicate\":\(webhook.isDuplicate),\"event\":\(isJSON ? body : JSON.string(body).compact)}"
    }
}
