// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Logging
internal import LoyaltyFeed
internal import ProximityReader

extension CounterConfiguration {
    /// Reads a configuration: flags over environment over file over defaults.
    ///
    /// - Parameters:
    ///   - path: the TOML file; nil for none.
    ///   - environment: the variables (`COUNTERTOP_…`, `STATE_DIRECTORY`, `CREDENTIALS_DIRECTORY`, `XDG_STATE_HOME`).
    ///   - overrides: what flags said.
    /// - Throws: everything that is wrong, with its lines. Files that the settings name are not looked at:
    ///   ``fileProblems()`` does that.
    public static func load(
        path: String?, environment: [String: String] = ProcessInfo.processInfo.environment,
        overrides: [SettingOverride] = []
    ) throws(ConfigurationError) -> CounterConfiguration {
        let document = try path.map { path throws(ConfigurationError) in
            try SettingDocument(try ConfigurationFile.read(path), file: path)
        }
        return try resolve(document ?? SettingDocument(), environment, overrides)
    }

    /// Reads a configuration from bytes instead of a file.
    ///
    /// - Parameter file: the name that errors have; its folder is where relative paths begin.
    public static func parse(
        _ bytes: [UInt8], file: String, environment: [String: String] = [:], overrides: [SettingOverride] = []
    ) throws(ConfigurationError) -> CounterConfiguration {
        try resolve(try SettingDocument(bytes, file: file), environment, overrides)
    }

    private static func resolve(
        _ document: SettingDocument, _ environment: [String: String], _ overrides: [SettingOverride]
    ) throws(ConfigurationError) -> CounterConfiguration {
        let paths = ConfigurationFile.paths(of: document.file, environment)
        var resolver = SettingResolver(document, paths, environment, overrides)
        resolver.checkTables()
        resolver.checkVariables()
        var configuration = CounterConfiguration(counter: counter(&resolver))
        configuration.passes = passes(&resolver)
        configuration.http = http(resolver.table(.http))
        configuration.basket.window = resolver.table(.basket).duration("window") ?? .zero
        configuration.log = log(resolver.table(.log))
        configuration.sinks = sinks(&resolver)
        configuration.check(&resolver)
        guard resolver.problems.isEmpty else { throw ConfigurationError(resolver.problems.inOrder) }
        configuration.sources = ConfigurationSources(resolver)
        return configuration
    }

    private static func counter(_ resolver: inout SettingResolver) -> Counter {
        let row = resolver.table(.counter)
        let state = row.text("state") ?? resolver.defaultState()
        var counter = Counter(
            id: row.text("id") ?? "", reader: row.text("reader").flatMap { ReaderChoice($0) } ?? .pcsc(name: nil),
            state: state)
        counter.tap = row.text("tap").flatMap { Tap($0) } ?? .manual
        counter.tenant = row.text("tenant") ?? counter.tenant
        counter.store = row.text("store") ?? counter.store
        counter.mode = row.text("mode").flatMap(Mode.init(rawValue:)) ?? .vas
        counter.amount = row.text("amount").flatMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) }
        counter.currency = row.text("currency")
        counter.pspKey = row.text("psp_key")
        counter.keepDays = row.whole("keep_days") ?? counter.keepDays
        return counter
    }

    private static func passes(_ resolver: inout SettingResolver) -> [Pass] {
        resolver.rows(.pass).map { row in
            Pass(id: row.text("id") ?? "", keys: row.texts("key") + row.texts("keys"), url: row.text("url"))
        }
    }

    private static func http(_ row: SettingRow) -> HTTP {
        var http = HTTP()
        if let text = row.text("listen"), let address = try? ListenAddress(parsing: text) { http.listen = address }
        http.tokenFile = row.text("token_file")
        http.tlsCertificate = row.text("tls_certificate")
        http.tlsKey = row.text("tls_key")
        http.allowedHosts = row.texts("allowed_hosts")
        http.language = row.text("language") ?? http.language
        return http
    }

    private static func log(_ row: SettingRow) -> Log {
        var log = Log()
        log.level = row.text("level").flatMap(Logger.Level.init(rawValue:)) ?? log.level
        log.format = row.text("format").flatMap(Log.Format.init(rawValue:)) ?? log.format
        return log
    }

    private static func sinks(_ resolver: inout SettingResolver) -> [SinkTable] {
        let rows = resolver.rows(.sink) { values in
            guard case .string(let name) = values["type"], let type = SinkFactory.type(named: name) else { return nil }
            return SinkFactory.common + type.settings
        }
        return rows.map { row in
            var values = row.values
            (values["name"], values["type"]) = (nil, nil)
            return SinkTable(name: row.text("name") ?? "", type: row.text("type") ?? "", values: values)
        }
    }
}

extension ConfigurationSources {
    /// What the resolver found, in the order of the tables.
    init(_ resolver: SettingResolver) {
        file = resolver.document.file
        settings = resolver.resolved
        paths = resolver.paths
        outline = resolver.document.outline
    }
}

extension [ConfigurationError.Problem] {
    /// By line; what stands in no file comes first.
    var inOrder: Self {
        enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element)
    }
}

extension ConfigurationError.Problem {
    /// The line, or 0.
    fileprivate var line: Int { if case .file(_, let line, _) = origin { line ?? 0 } else { 0 } }
}
