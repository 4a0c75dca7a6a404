// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Synchronization
import Testing

@testable import CounterServer

@Suite("Log lines")
struct LogLinesTests {
    private final class Lines: Sendable {
        let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
    }

    private let lines = Lines()

    private func logger(_ form: LogLines.Form, _ level: Logger.Level = .info) -> Logger {
        Logger(label: "countertop") { [lines] label in
            LogLines(
                label: label, level: level, form: form, now: { Date(timeIntervalSince1970: 1_767_268_800.0425) },
                write: { line in lines.list.withLock { $0.append(line) } })
        }
    }

    @Test("Text for people, on one line whatever it holds")
    func text() {
        logger(.text).notice("tap kept", metadata: ["tap": "01J", "reader": "ACS ACR122U", "odd": "a\nb"])
        #expect(
            lines.all == [
                #"2026-01-01T12:00:00.042Z notice countertop: tap kept odd="a\nb" reader="ACS ACR122U" tap=01J"#
            ])
    }

    @Test("JSON for machines")
    func json() throws {
        var logger = logger(.json)
        logger[metadataKey: "counter"] = "c1"
        logger.error("it \"failed\"\u{1}", metadata: ["message": "shadow", "reason": "\u{E9}\t"])
        let line = try #require(lines.all.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(
            object == [
                "time": "2026-01-01T12:00:00.042Z", "level": "error", "label": "countertop",
                "message": "it \"failed\"\u{1}", "_message": "shadow", "reason": "\u{E9}\t", "counter": "c1",
            ])
        #expect(!line.contains("\n"))
    }

    @Test("Less than the level is not said")
    func level() {
        let logger = logger(.text, .warning)
        logger.info("no")
        logger.warning("yes")
        #expect(lines.all.count == 1)
    }
}
