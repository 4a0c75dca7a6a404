// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing

/// One tap through the real pcscd: `emulate` in one process, `pay` in another, `psp open` in a third.
@Suite(.enabled(if: PrivatePCSCD.isAvailable, "no pcscd with vpcd on this machine"), .serialized)
struct PaymentProcessTests {
    static let goodRead = ["readyForTap", "cardDetected", "removeCard", "readCompleted", "userInterfaceDismissed"]

    private func pay(_ phone: TestPhone, _ daemon: PrivatePCSCD, _ more: [String]) async throws -> ToolProcess.Outcome {
        try await ToolProcess.run(
            [
                "pay", "--amount", "12.50", "--currency", "EUR", "--psp-key", phone.folder.path("psp-public.pem"),
                "--reader", "pcsc:Virtual", "--timeout", "20", "--json",
            ] + more, environment: daemon.environment, in: phone.folder)
    }

    @Test func rowsOfOneTap() async throws {
        let (phone, daemon) = (try TestPhone(), try PrivatePCSCD())
        let made = try await ToolProcess.run(["psp", "key", "--quiet"], in: phone.folder)
        #expect(made.status == 0, "\(made.talk)")
        let both = try phone.file("both.json", state: ["paymentCard": ["network": "visa", "armed": true]])
        let passOnly = try phone.file("pass.json")
        let plastic = try phone.folder.write("plastic.json", #"{"plastic":{"network":"mastercard"}}"#)
        let pass = ["--pass", TestPhone.passType, "--key", phone.keyFile]
        let rows: [(file: String, options: [String], payment: Bool, pass: Bool)] = [
            (both, pass, true, true), (both, pass + ["--stop-on-pass"], false, true), (passOnly, pass, false, true),
            (plastic, pass, true, false), (plastic, pass + ["--stop-on-pass"], true, false), (plastic, [], true, false),
        ]
        for row in rows {
            let card = try await Emulated(row.file, daemon)
            let outcome = try await pay(phone, daemon, row.options)
            try await card.interrupt()
            #expect(outcome.status == 0, "\(row.file) \(row.options): \(outcome.talk)")
            let json = try outcome.json()
            #expect((json["payment"] is [String: Any]) == row.payment && (json["vas"] is [String: Any]) == row.pass)
            #expect(json["events"] as? [String] == Self.goodRead, "\(row.file): \(outcome.talk)")
            guard let payment = json["payment"] as? [String: Any] else { continue }
            let sealed = try #require(payment["paymentCardData"] as? String)
            let opened = try await ToolProcess.run(
                ["psp", "open", "--key", "psp-private.pem", "--json", sealed], in: phone.folder)
            #expect(opened.status == 0, "\(opened.talk)")
            let tlv = try #require(try opened.json()["tlv"] as? [String: String])
            #expect(tlv["9F26"]?.count == 16 && tlv["9F02"] == "000000001250")
            #expect(tlv.values.allSatisfy { $0.wholeMatch(of: /[0-9]{13,19}F?/) == nil || $0.hasPrefix("0") })
        }
    }
}
