// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import BERTLV
import EMVContactless
import EmulatedWallet
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import ProximityReader

/// A counter whose reads a generated provider key opens.
struct PaymentBench: Sendable {
    let bench: Bench
    let providerKey: P256PrivateKey

    init(
        _ phone: (inout PhoneDefinition) -> Void = { _ in }, reader: ((EmulatedPhone) -> any CardReader)? = nil,
        set: (inout Counter.Configuration) -> Void = { _ in }
    ) throws {
        let key = try P256PrivateKey.generate()
        providerKey = key
        bench = try Bench(phone, reader: reader) {
            $0.payment.provider = ProviderKey(key.publicKey)
            set(&$0)
        }
    }

    typealias Both = (payment: PaymentCardReadResult?, passes: VASReadResult?)

    static let purchase = PaymentCardTransactionRequest(amount: 12.50, currencyCode: "EUR")

    func read(
        _ request: PaymentCardTransactionRequest = PaymentBench.purchase, passes: [String] = [], stops: Bool = false,
        options: PaymentCardReader.Options = .init()
    ) async -> (result: Result<Both, any Error>, events: [String]) {
        await bench.run(options: options) { reader in
            let session = try await reader.prepare(using: bench.token())
            return try await Self.read(session, request, passes, stops)
        }
    }

    static func read(
        _ session: PaymentCardReaderSession, _ request: PaymentCardTransactionRequest, _ passes: [String],
        _ stops: Bool
    ) async throws -> Both {
        guard !passes.isEmpty else { return (try await session.readPaymentCard(request), nil) }
        let vas = VASRequest(vasMerchants: passes.map { .init(id: $0) }, localizedVASType: "Example Club")
        let both = try await session.readPaymentCard(request, vasRequest: vas, stopOnVASResult: stops)
        return (both.0, both.1)
    }

    /// The value of a tag that was sealed for the provider.
    func sealed(_ tag: TLVTag, in result: PaymentCardReadResult) throws -> String? {
        let opened = try ProviderSide.open(try #require(result.paymentCardData), with: providerKey)
        return opened.objects.first { $0.tag == tag }.map { Hex.encode($0.value) }
    }
}

@Suite("One tap: passes and a payment", .enabled(if: PaymentVectors.isThere, "COUNTERTOP_VECTORS is not set"))
struct OneTapTests {
    @Test("Composed scenarios come to what they are expected to", arguments: PaymentVectors.scenarios)
    func scenario(_ scenario: OneTapScenario) async throws {
        let taps = TapsReader(scenario.taps)
        let bench = try PaymentBench { _ in
        } reader: { _ in
            taps
        }
        var options = PaymentCardReader.Options()
        options.includeErrorInReadResult = scenario.payment?.outcome != "success"
        let (result, events) = await bench.read(
            passes: scenario.merchants, stops: scenario.stopsOnPass, options: options)
        try check(scenario, result, bench)
        for event in scenario.events ?? [] { #expect(events.contains(event)) }
        #expect(CutTests.isWhole(events), "\(events)")
        #expect(events.filter { $0 == "readRetry" }.count >= scenario.taps.count - 1)
        if scenario.payment?.outcome == "success" {
            #expect(events == Self.events(of: result, taps: scenario.taps.count))
        }
        checkModes(scenario, taps.sent)
    }

    /// The sequence of sheet 2.2 for so many taps.
    static func events<Success>(of result: Result<Success, any Error>, taps: Int) -> [String] {
        let retries = (1..<max(taps, 1)).flatMap { _ in Sequence.retry }
        guard case .failure = result else { return retries + Sequence.good }
        return retries + Sequence.failedTap
    }

    private func check(
        _ scenario: OneTapScenario, _ result: Result<PaymentBench.Both, any Error>, _ bench: PaymentBench
    ) throws {
        let tap = try #require(bench.bench.counter.lastTap)
        try checkPasses(scenario, result, tap)
        guard let expected = scenario.payment else {
            #expect((try? result.get())?.payment == nil)
            return
        }
        guard let payment = (try? result.get())?.payment else {
            #expect(expected.outcome != "success", "\(result)")
            let words = [tap.payment?.value.rawValue, tap.payment?.reason.code]
            if let reason = expected.reason { #expect(words.contains(reason), "\(words)") }
            return
        }
        #expect("\(payment.outcome)" == expected.outcome)
        if let kernel = expected.kernel { #expect(payment.applicationTypeIdentifier == kernel) }
        let tags: [(TLVTag, String?)] = [
            (0x9F26, expected.cryptogram), (0x9F27, expected.cid), (0x9F6C, expected.ctq),
        ]
        for (tag, value) in tags { if let value { #expect(try bench.sealed(tag, in: payment) == value) } }
        #expect(payment.generalCardData != nil)
    }

    private func checkPasses(
        _ scenario: OneTapScenario, _ result: Result<PaymentBench.Both, any Error>, _ tap: TapReport
    ) throws {
        guard let expected = scenario.passes else {
            if scenario.payment?.outcome == "success" { #expect(try result.get().passes == nil) }
            return
        }
        guard let passes = (try? result.get())?.passes else {
            // Without any pass there is no result; what the phone said is in the report.
            #expect(expected.allSatisfy { $0.status != "9000" }, "\(result)")
            for pass in expected { #expect(tap.statusWords[pass.merchant]?.description == pass.status) }
            return
        }
        #expect(passes.entries.map(\.id) == expected.map(\.merchant))
        var keys = VASKeyRing()
        for key in Self.passKeys { keys.add(key) }
        for (entry, row) in zip(passes.entries, expected) {
            #expect(StatusWord(rawValue: entry.statusWord).description == row.status)
            if row.isSealed { #expect((try entry.decrypted(with: keys)?.get()) != nil) }
        }
    }

    /// The mode stands in 9F26: 0 for stopping on a pass, 1 for going on.
    private func checkModes(_ scenario: OneTapScenario, _ sent: [[[UInt8]]]) {
        for command in sent.joined() where command.starts(with: [0x80, 0xCA]) {
            let text = Hex.encode(command)
            let modes = scenario.stopsOnPass ? ["00", "80"] : ["01", "81"]
            #expect(modes.contains { text.contains("9F2604008000" + $0) })
        }
    }

    private static let passKeys: [P256PrivateKey] = {
        guard let path = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"].map({ $0 + "/vas.json" }),
            let data = FileManager.default.contents(atPath: path),
            let json = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
        else { return [] }
        return (json["keys"] as? [[String: Any]] ?? []).compactMap { key in
            (key["private_scalar"] as? String).flatMap { try? P256PrivateKey(scalar: Hex.decode($0)) }
        }
    }()
}
