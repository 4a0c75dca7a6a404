// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing

/// The same body in process, through the real pcscd with the phone in a second process, and on the recorded trace.
@Suite("One tap, three carriers")
struct OneBodyThreeWaysTests {
    @Test func inProcess() async throws {
        let phone = try TestPhone()
        try await expectPass(phone, reader: "emulated:\(try phone.file())")
    }

    @Test func replayed() async throws {
        let phone = try TestPhone()
        let trace = phone.folder.path("tap.apdu")
        let record = try await ToolProcess.run(
            ["record", "--output", trace, "--reader", "emulated:\(try phone.file())"] + phone.readArguments,
            in: phone.folder)
        #expect(record.status == 0, "\(record.talk)")
        try await expectPass(phone, reader: "replay:\(trace)")
        let replay = try await ToolProcess.run(["replay", trace] + phone.readArguments, in: phone.folder)
        try expectPass(phone, replay)
    }

    @Test(.enabled(if: PrivatePCSCD.isAvailable, "no pcscd with vpcd on this machine"))
    func throughPCSCD() async throws {
        let phone = try TestPhone()
        let daemon = try PrivatePCSCD()
        let card = try await Emulated(phone.file(), daemon)
        try await expectPass(phone, reader: "pcsc:virtual", environment: daemon.environment)
        // What the real stack recorded replays too.
        let trace = phone.folder.path("pcsc.apdu")
        let record = try await ToolProcess.run(
            ["record", "--output", trace, "--reader", "pcsc:Virtual"] + phone.readArguments,
            environment: daemon.environment, in: phone.folder)
        #expect(record.status == 0, "\(record.talk)")
        try await expectPass(phone, reader: "replay:\(trace)")
        try await card.interrupt()
    }

    @Test(.enabled(if: PrivatePCSCD.isAvailable, "no pcscd with vpcd on this machine"), arguments: 1...2)
    func phoneLeavesAtEachCommand(command: Int) async throws {
        let phone = try TestPhone()
        let daemon = try PrivatePCSCD()
        // The first tap tears at this command, the next one does not; the session waits for it by itself.
        let file = try phone.file(state: ["leavesFieldAt": command, "leavesFieldTaps": 1])
        let card = try await Emulated(file, daemon)
        try await expectPass(phone, reader: "pcsc:Virtual", environment: daemon.environment)
        try await card.interrupt()
    }

    @Test(.enabled(if: PrivatePCSCD.isAvailable, "no pcscd with vpcd on this machine"))
    func twoClientsAtOnce() async throws {
        let phone = try TestPhone()
        let daemon = try PrivatePCSCD()
        let card = try await Emulated(phone.file(), daemon)
        async let first: Void = expectPass(phone, reader: "pcsc:Virtual", environment: daemon.environment)
        async let second: Void = expectPass(phone, reader: "pcsc:Virtual", environment: daemon.environment)
        _ = try await (first, second)
        try await card.interrupt()
    }

    @Test(.enabled(if: PrivatePCSCD.isAvailable, "no pcscd with vpcd on this machine"))
    func daemonKilledAndRestarted() async throws {
        let phone = try TestPhone()
        let daemon = try PrivatePCSCD()
        let card = try await Emulated(phone.file(state: ["answerDelay": 700]), daemon)
        let read = try ToolProcess(
            ["read", "--reader", "pcsc:Virtual", "--timeout", "40"] + phone.readArguments,
            environment: daemon.environment, in: phone.folder)
        try await Task.sleep(for: .seconds(1))
        daemon.kill()
        let outcome = try await read.outcome()
        // A typed error that says what to do; never a trap, never a hang.
        #expect(outcome.status == 0 || outcome.status == 69 || outcome.status == 75, "\(outcome.talk)")
        try daemon.start()
        try await Task.sleep(for: .seconds(2))
        try await expectPass(phone, reader: "pcsc:Virtual", environment: daemon.environment)
        try await card.interrupt()
    }

    private func expectPass(
        _ phone: TestPhone, reader: String, environment: [String: String] = [:]
    ) async throws {
        let outcome = try await ToolProcess.run(
            ["read", "--reader", reader, "--timeout", "30"] + phone.readArguments, environment: environment,
            in: phone.folder)
        try expectPass(phone, outcome)
    }

    private func expectPass(_ phone: TestPhone, _ outcome: ToolProcess.Outcome) throws {
        #expect(outcome.status == 0, "\(outcome.talk)")
        let entries = try #require(try outcome.json()["entries"] as? [[String: Any]], "\(outcome.output)")
        let entry = try #require(entries.first)
        #expect(entries.count == 1)
        #expect(entry["id"] as? String == TestPhone.passType)
        #expect(entry["status"] as? String == "success")
        #expect(entry["statusWord"] as? String == "9000")
        #expect(entry["message"] as? String == phone.message)
        let data = try #require(Data(base64Encoded: entry["customerVASData"] as? String ?? ""))
        #expect(data.count == 56 + phone.message.utf8.count)
    }
}

/// `countertop emulate` in a process of its own, ready in a private daemon's reader.
struct Emulated {
    let tool: ToolProcess

    init(_ file: String, _ daemon: PrivatePCSCD) async throws {
        tool = try ToolProcess(
            ["emulate", file, "--vpcd", "127.0.0.1:\(daemon.port)"], environment: daemon.environment,
            in: TemporaryFolder())
        try await tool.waits(for: "ready")
    }

    /// Ends it as Ctrl-C does.
    func interrupt() async throws {
        tool.signal(SIGINT)
        #expect(try await tool.outcome(timeout: 10).status == 0, "\(tool.said)")
    }
}
