// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CountertopCommands

@Suite struct FlowingTextTests {
    @Test func paragraphsFlowAndExamplesCanBePasted() {
        let long =
            "  countertop serve --config counter.toml --reader emulated:phone.json --tap \"every 2s\" --log-level debug"
        let text = "One\ntwo.\n\nEXAMPLES:\n  countertop read\n\(long)".flowing
        #expect(text.hasPrefix("One two.\n\nEXAMPLES:\n  countertop read\n  countertop serve "))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        // What a shell makes of it is what was written; a text in quotes stays whole.
        #expect(text.replacing(" \\\n    ", with: " ").hasSuffix(long))
        #expect(text.contains("\"every 2s\""))
    }

    @Test func whatCannotBeBrokenStays() {
        let text = "EXAMPLES:\n  countertop decode " + String(repeating: "9", count: 200)
        #expect(text.flowing.replacing(" \\\n    ", with: " ") == text)
        let comment = "EXAMPLES:\n  curl " + String(repeating: "x ", count: 60) + " # a comment"
        #expect(comment.flowing == comment)
    }
}
