// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing

/// Streams that fail, and signals in the middle, on the real program.
@Suite struct StreamTests {
    static let commands = [
        "--version", "--help", "decode 6A83", "conditions", "doctor", "token",
        "read --pass pass.p --reader emulated:phone.json -q",
        "watch --jsonl --pass pass.p --reader emulated:phone.json -q", "key show pass.pem",
    ]

    /// Runs `"$0" COMMAND` with redirections in a shell, and tells the tool's own status.
    private func shell(_ script: String, _ phone: TestPhone) throws -> (status: String, talk: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let tool = ToolProcess.buildFolder.appending(path: "countertop").path()
        process.arguments = ["-c", script, tool]
        process.currentDirectoryURL = phone.folder.url
        process.environment = ["XDG_STATE_HOME": phone.folder.url.path(), "NO_COLOR": "1", "PATH": "/usr/bin:/bin"]
        try process.run()
        process.waitUntilExit()
        let talk = (try? phone.folder.text(phone.folder.path("talk"))) ?? ""
        return (try phone.folder.text(phone.folder.path("status")).split(separator: "\n").joined(), talk)
    }

    @Test(arguments: commands) func resultsThatCannotBeWritten(_ command: String) throws {
        let phone = try TestPhone()
        _ = try phone.file()
        for (place, reason) in [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
            let run = try shell("timeout 20 \"$0\" \(command) \(place) 2>talk; echo $? >status", phone)
            #expect(run.status == "74", "\(command) \(place): \(run.talk)")
            #expect(run.talk == "countertop: the results cannot be written: \(reason)\n")
        }
        // Whoever read the results went away: nothing is said.
        let closed = try shell("{ sleep 0.2; timeout 20 \"$0\" \(command) 2>talk; echo $? >status; } | true", phone)
        #expect(closed.status == "141")
        #expect(closed.talk.isEmpty)
    }

    @Test(arguments: ["decode -", "decrypt --pass pass.p --key pass.pem -"]) func closedInput(_ command: String) throws
    {
        let run = try shell("\"$0\" \(command) <&- 2>talk; echo $? >status", try TestPhone())
        #expect(run.status == "74")
        #expect(run.talk == "countertop: standard input cannot be read: Bad file descriptor\n")
    }

    @Test func talkThatNobodyHearsIsNoError() throws {
        let phone = try TestPhone()
        _ = try phone.file()
        for place in ["2>/dev/full", "2>&-"] {
            let run = try shell(
                "\"$0\" read --pass pass.p --reader emulated:phone.json \(place) >/dev/null; echo $? >status", phone)
            #expect(run.status == "0", "\(place)")
        }
    }

    @Test(arguments: zip([SIGINT, SIGTERM, SIGHUP], [130, 143, 129] as [Int32]))
    func signalsEndASilentTap(_ signal: Int32, _ status: Int32) async throws {
        let phone = try TestPhone()
        let file = try phone.file(state: ["silentAt": 2])
        let trace = phone.folder.path("torn.apdu")
        for (words, expected) in [(["read"], status), (["record", "--output", trace], status), (["watch"], 0)] {
            let tool = try ToolProcess(
                words + ["--reader", "emulated:\(file)", "--pass", "pass.p"], in: phone.folder)
            try await tool.waits(for: "cardDetected")
            // The event comes before the first command; the phone is silent from the second on.
            try await Task.sleep(for: .milliseconds(400))
            let start = ContinuousClock.now
            tool.signal(signal)
            let outcome = try await tool.outcome(timeout: 10)
            #expect(outcome.status == expected, "\(words): \(outcome.talk)")
            #expect(ContinuousClock.now - start < .seconds(2), "\(words)")
        }
        // What was said until then is kept.
        #expect(try phone.folder.text(trace).contains("# LOST: 80CA01"))
    }

    @Test(.enabled(if: PrivatePCSCD.isAvailable, "no pcscd with vpcd on this machine"))
    func signalsEndAWaitForACard() async throws {
        let (phone, daemon) = (try TestPhone(), try PrivatePCSCD())
        for (command, status) in [("read", Int32(130)), ("watch", 0)] {
            let tool = try ToolProcess(
                [command, "--reader", "pcsc:Virtual", "--pass", "pass.p"], environment: daemon.environment,
                in: phone.folder)
            try await tool.waits(for: "readyForTap")
            tool.signal(SIGINT)
            #expect(try await tool.outcome(timeout: 10).status == status)
        }
        let late = try await ToolProcess.run(
            ["read", "--reader", "pcsc:Virtual", "--pass", "pass.p", "--timeout", "0.3"],
            environment: daemon.environment, in: phone.folder)
        #expect(late.status == 75)
        #expect(late.talk.contains("no card came within 0.3 s"))
        let missing = try await ToolProcess.run(
            ["read", "--reader", "pcsc:nothing", "--pass", "pass.p"], environment: daemon.environment, in: phone.folder)
        #expect(missing.status == 69)
        #expect(missing.talk.contains("Virtual PCD 00 00"))
    }
}
