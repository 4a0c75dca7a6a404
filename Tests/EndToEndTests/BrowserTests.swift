// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

private let hasBrowser = ["/usr/bin/chromium", "/usr/bin/chromedriver"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// The pages of the real `countertop serve` in headless Chromium, with an emulated phone and a webhook receiver.
///
/// `Tests/Browser/run.py` starts all of it and says what failed. Pictures go to the folder that `COUNTERTOP_SCREENSHOTS`
/// names, else to `.build/screenshots`.
@Suite(
    .enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"),
    .enabled(if: hasBrowser, "no chromium with chromedriver on this machine"))
struct BrowserTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let screenshots =
        ProcessInfo.processInfo.environment["COUNTERTOP_SCREENSHOTS"]
        ?? root.appending(path: ".build/screenshots").path()

    @Test(.timeLimit(.minutes(15))) func pagesInABrowser() throws {
        let folder = try TemporaryFolder()
        let arguments = [
            "-B", Self.root.appending(path: "Tests/Browser/run.py").path(), "--screenshots", Self.screenshots,
            ToolProcess.buildFolder.appending(path: "countertop").path(),
        ]
        do {
            try Outside.run(Outside.python, arguments, in: folder)
        } catch let failure as Outside.Failed {
            Issue.record("the pages fail with status \(failure.status):\n\(failure.talk.suffix(20_000))")
        }
        for name in [
            "bench-light", "bench-dark", "bench-phone", "tap-exchanges-light", "counter-ready", "decoder-dark",
        ] {
            let picture = URL(filePath: Self.screenshots).appending(path: "\(name).png")
            #expect(try Data(contentsOf: picture).starts(with: [0x89, 0x50, 0x4E, 0x47]), "\(name)")
        }
    }
}
