// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EMVContactless

/// Answers to GET PROCESSING OPTIONS and records beside those of the vectors.
@Suite("Processing options and records")
struct ProcessingOptionsTests {
    private func outcome(
        _ kernel: Kernel, gpo: String, records: [(String, String)] = []
    ) throws -> (result: EMVReadResult, sent: [[UInt8]]) {
        let channel = ScriptChannel(
            [Exchange(hex("80A8000002830000"), hex(gpo))] + records.map { Exchange(hex($0.0), hex($0.1)) })
        let active = try #require(
            PreProcessing(
                [Combination(aid: try AID(hex("A0000000041010")), kernel: kernel.id)],
                transaction: Setup.transaction()
            ).active.first)
        var run = KernelRun(
            kernel: kernel, active: active, configuration: Setup.configuration(), transaction: Setup.transaction(),
            fci: try FileControlInformation(hex("6F128407A0000000041010A50750054150502031")), channel: channel)
        return (try run.run(), channel.sent)
    }

    @Test(
        "A profile or locator of another form ends the application before a record is read",
        arguments: [
            "7715820159941008010100100101011801020020010200", "770D820259809407080101001001019000",
            "770A82025980940400010100", "770A82025980940408000100", "770A82025980940408020100",
            "770A82025980940408010102", "7707820359800094009000",
        ])
    func malformed(_ gpo: String) throws {
        for kernel in [Kernel.kernel2, .kernel3] {
            let (result, sent) = try outcome(kernel, gpo: gpo.hasSuffix("9000") ? gpo : gpo + "9000")
            #expect(result.outcome.value == .endApplication, "\(gpo)")
            #expect(sent.count == 1, "\(gpo)")
        }
    }

    @Test("A signed record above file 10 that is no template spoils authentication, not the reading")
    func signedRecord() throws {
        let body = "5A084761739001010119" + "5F24032812315F340101" + "8C0A9F02069A039C019F3704"
        let record = "70" + Hex.encode([UInt8(body.count / 2)]) + body
        for (signed, isTemplate) in [("FF", false), ("7100", false), ("7000FF", false), ("7003DF0100", true)] {
            let (result, sent) = try outcome(
                .kernel2, gpo: "770E82025980940808020200" + "600101019000",
                records: [("00B2020C00", record + "9000"), ("00B2016400", signed + "9000")])
            #expect(sent.filter { $0[1] == 0xB2 }.count == 2, "\(signed): \(result.outcome.reason)")
            let authentication = OfflineAuthentication(
                data: result.data, aid: hex("A0000000041010"), authorities: AuthorityKeys(),
                revocations: RevocationList(), date: EMVDate(year: 2026, month: 8, day: 5))
            #expect((try? authentication.staticData()) == (isTemplate ? hex(signed) : nil), "\(signed)")
        }
    }
}
