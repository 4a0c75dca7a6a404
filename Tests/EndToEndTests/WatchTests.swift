// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing

/// `watch`, `emulate` and `readers` over a pcscd that comes and goes.
@Suite(.enabled(if: PrivatePCSCD.isAvailable, "no pcscd with vpcd on this machine"), .serialized)
struct WatchTests {
    private func watch(_ phone: TestPhone, _ daemon: PrivatePCSCD) throws -> ToolProcess {
        try ToolProcess(
            ["watch", "--jsonl", "--reader", "pcsc:Virtual"] + phone.readArguments, environment: daemon.environment,
            in: phone.folder)
    }

    private func results(_ tool: ToolProcess) -> [[String: Any]] {
        tool.written.split(separator: "\n").compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["result"] as? [String: Any]
        }
    }

    private func waits(_ tool: ToolProcess, forResults count: Int) async throws {
        let end = Date(timeIntervalSinceNow: 20)
        while results(tool).count < count {
            try #require(Date() < end, "\(results(tool).count) of \(count) results: \(tool.said)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func survivesTheDaemon() async throws {
        let (phone, daemon) = (try TestPhone(), try PrivatePCSCD())
        let watch = try watch(phone, daemon)
        var descriptors: [Int] = []
        for round in 1...3 {
            let card = try await Emulated(phone.file(), daemon)
            try await waits(watch, forResults: round)
            descriptors.append(watch.openDescriptors)
            try await card.interrupt()
            try daemon.restart()
        }
        #expect((descriptors.max() ?? 0) - (descriptors.min() ?? 0) <= 2, "\(descriptors)")
        watch.signal(SIGINT)
        let end = try await watch.outcome(timeout: 10)
        #expect(end.status == 0, "\(end.status): \(end.talk)")
    }

    @Test func readsEachPhone() async throws {
        let (first, daemon) = (try TestPhone(message: "FIRST"), try PrivatePCSCD())
        let watch = try watch(first, daemon)
        for round in 1...2 {
            let card = try await Emulated(first.file(state: ["leavesFieldAt": round, "leavesFieldTaps": 1]), daemon)
            try await waits(watch, forResults: round)
            try await card.interrupt()
        }
        watch.signal(SIGINT)
        let end = try await watch.outcome(timeout: 10)
        #expect(end.status == 0, "\(end.status): \(end.talk)")
        let entries = results(watch).compactMap { ($0["entries"] as? [[String: Any]])?.first }
        #expect(entries.allSatisfy { $0["message"] as? String == "FIRST" })
    }

    @Test func emulateComesBack() async throws {
        let (phone, daemon) = (try TestPhone(), try PrivatePCSCD())
        let card = try await Emulated(phone.file(), daemon)
        try daemon.restart()
        let read = try await ToolProcess.run(
            ["read", "--reader", "pcsc:Virtual", "--timeout", "20"] + phone.readArguments,
            environment: daemon.environment, in: phone.folder)
        #expect(read.status == 0, "\(read.talk)")
        #expect(card.tool.said.contains("trying again"))
        try await card.interrupt()
    }

    @Test func readersShowCards() async throws {
        let (phone, daemon) = (try TestPhone(), try PrivatePCSCD())
        func row() async throws -> [String: Any] {
            let outcome = try await ToolProcess.run(
                ["readers", "--json"], environment: daemon.environment, in: phone.folder)
            return try #require((try outcome.json()["readers"] as? [[String: Any]])?.first)
        }
        let empty = try await row()
        #expect(empty["cardPresent"] as? Bool == false)
        #expect(empty["atr"] is NSNull)
        #expect(empty["wakesPhone"] as? Bool == false)
        let card = try await Emulated(phone.file(), daemon)
        let full = try await row()
        #expect(full["cardPresent"] as? Bool == true)
        #expect((full["atr"] as? String)?.hasPrefix("3B") == true)
        try await card.interrupt()
    }
}
