// SPDX-License-Identifier: Apache-2.0

internal import LoyaltyFeed

extension CounterAPI: CounterHTTP {
    /// The service of a counter, as its configuration says.
    /// - Throws: `ConfigurationError` for tokens and certificates that cannot be used; ``ServerError``.
    public init(_ runtime: CounterRuntime) throws {
        let configuration = runtime.configuration
        var settings = CounterAPISettings()
        settings.server.address = configuration.http.listen
        settings.server.identity = try configuration.serverIdentity()
        settings.server.logger = runtime.logger
        settings.tokens = try configuration.bearerTokens()
        settings.allowedHosts = configuration.http.allowedHosts
        settings.language = configuration.http.language
        settings.testSink = { [engine = runtime.engine] name in await engine.testEvent(sink: name) }
        try self.init(outbox: runtime.outbox, control: runtime, settings: settings)
    }
}
