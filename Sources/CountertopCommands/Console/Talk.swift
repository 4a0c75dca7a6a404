// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import Logging

/// A console with the manners that the output options ask for.
///
/// Talk goes to standard error with the program's name before it, lower case, without a full stop; results alone go to
/// standard output.
struct Talk: Sendable {
    let console: Console
    let isJSON: Bool
    private let verbosity: Int
    private let isQuiet: Bool
    private let color: OutputOptions.Color

    init(_ console: Console, _ options: OutputOptions) {
        self.console = console
        (isJSON, verbosity, isQuiet, color) = (options.json, options.verbose, options.quiet, options.color)
    }

    /// Before the options are known.
    init(_ console: Console) {
        self.console = console
        (isJSON, verbosity, isQuiet, color) = (false, 0, false, .auto)
    }

    /// A line of results.
    func result(_ line: String) throws { try console.print(line) }

    /// The result: an object with `--json`, otherwise lines.
    func result(json: @autoclosure () -> JSON, text: @autoclosure () -> [String]) throws {
        if isJSON { return try console.print(json().pretty()) }
        for line in text() { try console.print(line) }
    }

    /// A line of talk, not with `--quiet`.
    func say(_ text: String) {
        if !isQuiet { console.say("countertop: \(text)") }
    }

    /// A line of talk for `--verbose` only.
    func detail(_ text: String) {
        if verbosity > 0 { say(text) }
    }

    /// An error in one or two lines; with `--json` also on standard output, so that it always holds one object.
    func report(_ error: ToolError) {
        guard error.status != .closedPipe, error.code != "silent" else { return }
        if isJSON { try? console.print(error.json.pretty()) }
        warn(error)
    }

    /// Says an error after the results, which hold their one object already; what is left is to end with its status.
    func spoken(_ error: ToolError) -> ToolError {
        guard error.code != "silent", error.status != .closedPipe else { return error }
        warn(error)
        return .silent(error.status)
    }

    /// An error that ends nothing.
    func warn(_ error: ToolError) {
        console.say("\(paint("countertop:", .red, onError: true)) \(error.reason)")
        if let hint = error.hint { console.say("countertop: hint: \(hint)") }
    }

    /// The logger for the layers below: silent without `--verbose`.
    func logger(_ label: String) -> Logger {
        guard verbosity > 0, !isQuiet else { return Logger(label: label) { _ in SwiftLogNoOpLogHandler() } }
        var logger = Logger(label: label) { [console] _ in ConsoleLogHandler(console: console) }
        logger.logLevel = verbosity > 1 ? .trace : .debug
        return logger
    }

    /// A text in colour where colour is wanted.
    func paint(_ text: String, _ paint: Paint, onError: Bool = false) -> String {
        hasColor(onError: onError) ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
    }

    private func hasColor(onError: Bool) -> Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto:
            (onError ? console.errorIsTerminal : console.outputIsTerminal)
                && console.environment["NO_COLOR", default: ""].isEmpty && console.environment["TERM"] != "dumb"
        }
    }
}

/// ECMA-48 colours (SGR, 8.3.117).
enum Paint: Int {
    case bold = 1
    case red = 31
    case green = 32
    case yellow = 33
}

/// Log lines as talk.
private struct ConsoleLogHandler: LogHandler {
    let console: Console
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    init(console: Console) { self.console = console }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let extra = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        console.say("countertop: \(event.message)\(extra)")
    }
}
