// SPDX-License-Identifier: Apache-2.0

import CounterServer

/// Any file: a configuration or an error; what was read is written so that it reads as the same settings.
@Sendable func fuzzConfiguration(_ bytes: [UInt8]) {
    func load(_ bytes: [UInt8]) -> CounterConfiguration? {
        try? CounterConfiguration.parse(bytes, file: "/c/counter.toml", environment: ["HOME": "/h"])
    }
    guard let configuration = load(bytes) else { return }
    let again = load(Array(configuration.toml(effective: true).utf8))
    let keys = configuration.sources.settings.map(\.key).sorted()
    precondition(again?.sources.settings.map(\.key).sorted() == keys, "a printed configuration is another one")
}
