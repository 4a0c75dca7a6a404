// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import Dispatch
internal import Logging

/// `serve`
struct Serve: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the counter as a service: taps in, events out, with its pages.",
        discussion: """
            Reads tap after tap, keeps each in the outbox before it says so, and carries its events to the sinks, once,
            whatever crashes. The pages (customer's screen, bench, decoder) and the API listen at [http] listen; their URL
            is logged. It goes on when the reader is unplugged or pcscd dies, and when a sink is down.

            SIGTERM and Ctrl-C end it with status 0 after what is under way: a tap is kept, an attempt to deliver is
            finished. SIGHUP reads the keys of [[pass]] again, new entries too; passes that waited for one of them become events. As a systemd
            service it says when it is ready and that it is alive (Type=notify, WatchdogSec=).

            Nothing goes to standard output. The log goes to standard error, as text or JSON lines ([log] format). No member, key or card data is in it. One
            process has a state folder at a time; a second one ends with status 75.

            EXAMPLES:
              countertop config example > counter.toml
              countertop serve --config counter.toml
              countertop serve --config counter.toml --reader emulated:phone.json --tap "every 2s" --log-level debug
              curl -X POST http://127.0.0.1:8787/v1/wallet/tap
            """.flowing)

    @OptionGroup(title: "The counter") var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let (options, console) = (configuration, talk.console)
        let configuration = try options.load(console)
        let logger = Self.logger(configuration.log, talk.console)
        let runtime = try CounterRuntime(
            configuration, environment: talk.console.environment, version: Countertop.version, logger: logger)
        let api = try CounterAPI(runtime)
        let scheme = try configuration.serverIdentity() == nil ? "http" : "https"
        ProcessSignals.shared.set(grace: .seconds(28)) {
            Task {
                do { try await runtime.reloadKeys(of: options.load(console)) } catch {
                    logger.error("the keys stay as they were", metadata: ["reason": "\(error)"])
                }
            }
        }
        defer { ProcessSignals.shared.reset() }
        try await runtime.run(api) { address in
            logger.notice("ready: the bench is at \(scheme)://\(address)/")
        }
    }

    private static func logger(_ log: CounterConfiguration.Log, _ console: Console) -> Logger {
        let form: LogLines.Form = log.format == .json ? .json : .text
        return Logger(label: "countertop") { label in
            LogLines(label: label, level: log.level, form: form) { console.say($0) }
        }
    }
}
