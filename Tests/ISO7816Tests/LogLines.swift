// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization
import TestSupport

/// Keeps what is logged.
final class LogLines: Sendable {
    let lines = Mutex<[String]>([])
    func logger() -> Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            SecretsGate.saw("log", "\(event.message) \(metadata) \(event.metadata ?? [:])")
            lines.lines.withLock { $0.append(event.message.description) }
        }
    }
}
