// SPDX-License-Identifier: Apache-2.0

import CounterServer
import LoyaltyFeed
import TestSupport

/// Documents for the tests, and what comes of them.
enum ConfigurationBench {
    /// What the smallest configuration has.
    static let minimal = """
        [counter]
        id = "c1"
        reader = "emulated:phone.json"
        state = "state"
        [[pass]]
        id = "pass.com.example.club"

        """

    static func load(
        _ text: String, file: String = "/etc/c/counter.toml", environment: [String: String] = [:],
        overrides: [SettingOverride] = []
    ) throws(ConfigurationError) -> CounterConfiguration {
        try CounterConfiguration.parse(Array(text.utf8), file: file, environment: environment, overrides: overrides)
    }

    /// What is wrong with a document, a line each; empty when nothing is.
    static func faults(_ text: String, environment: [String: String] = [:], overrides: [SettingOverride] = [])
        -> [String]
    {
        do {
            _ = try load(text, file: "c.toml", environment: environment, overrides: overrides)
            return []
        } catch { return error.problems.map(\.description) }
    }

    /// The hints of what is wrong.
    static func hints(_ text: String) -> [String] {
        do {
            _ = try load(text, file: "c.toml")
            return []
        } catch { return error.problems.compactMap(\.hint) }
    }
}
