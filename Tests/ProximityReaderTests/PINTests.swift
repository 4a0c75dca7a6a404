// SPDX-License-Identifier: Apache-2.0

import BERTLV
import EMVContactless
import EmulatedWallet
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import ProximityReader

@Suite("PIN capture")
struct PINTests {
    static let digits: [UInt8] = [1, 2, 3, 4, 5]
    static let pad: @Sendable (PINRequest) async -> PINEntry = { request in
        var digits = PINTests.digits
        let entry = request.entered(erasing: &digits)
        return digits == [0, 0, 0, 0, 0] ? entry : .failed
    }

    private func bench(
        _ pad: (@Sendable (PINRequest) async -> PINEntry)? = PINTests.pad,
        set: (inout Counter.Configuration) -> Void = { _ in }
    ) throws -> PaymentBench {
        try plasticBench {
            _ in
        } set: {
            $0.pinPad = pad
            set(&$0)
        }
    }

    /// The plain text PIN field in a result's tag 99, opened by the provider.
    private func field(in result: PaymentCardReadResult, _ bench: PaymentBench) throws -> (header: String, [UInt8]) {
        let text64 = try #require(result.generalCardData)
        let general = Array(try #require(Data(base64Encoded: text64)))
        let sealed = try #require(try TLV.read(general[...]).first { $0.tag == 0x99 })
        let text = String(decoding: sealed.bytes, as: UTF8.self)
        let opened = try JWE.open(text, with: bench.providerKey)
        let header = try #require(Base64URL.decode(text.prefix { $0 != "." }))
        return (String(decoding: header, as: UTF8.self), opened.plaintext.withUnsafeBytes { Array($0) })
    }

    private func capture(
        _ bench: PaymentBench, edit: (inout PINCaptureToken) -> Void = { _ in }, after wait: Duration = .zero
    ) async throws -> (read: PaymentCardReadResult, Result<PaymentCardReadResult, any Error>, events: [String]) {
        let session = try await PaymentCardReader(counter: bench.bench.counter).prepare(using: bench.bench.token())
        let read = try await session.readPaymentCard(PaymentBench.purchase)
        bench.bench.time.advance(wait)
        let (result, events) = await bench.bench.run { reader in
            try await reader.prepare(using: bench.bench.token()).capturePIN(
                using: bench.bench.pinToken(for: read.id, edit: edit), cardReaderTransactionID: read.id)
        }
        return (read, result, events)
    }

    @Test("The issuer's PIN comes sealed, beside the read it belongs to")
    func captured() async throws {
        let bench = try bench()
        let (read, result, events) = try await capture(bench, after: .seconds(55))
        let pin = try result.get()
        #expect(
            events == ["pinEntryRequested", "pinEntryCompleted", "readCompleted", "userInterfaceDismissed"])
        #expect(pin.id == read.id && pin.paymentCardData == read.paymentCardData)
        #expect(pin.isPINFallback && !pin.pinBypassed)
        let (header, field) = try field(in: pin, bench)
        #expect(field.count == 16 && field.prefix(8) == [0x45, 0x12, 0x34, 0x5A, 0xAA, 0xAA, 0xAA, 0xAA])
        #expect(header.contains(read.id) && header.contains("emv-pin+jwe"))
        // Once.
        let session = try await PaymentCardReader(counter: bench.bench.counter).prepare(using: bench.bench.token())
        let again = await thrown {
            try await session.capturePIN(using: bench.bench.pinToken(for: read.id), cardReaderTransactionID: read.id)
        }
        #expect(again == "pinNotAllowed")
    }

    @Test("Too late, or without a pad, a PIN is not allowed")
    func notAllowed() async throws {
        let late = try await capture(try bench(), after: .milliseconds(55_001))
        #expect(caseName(late.1) == "pinNotAllowed" && late.events.isEmpty)
        #expect(caseName(try await capture(try bench(nil)).1) == "pinNotAllowed")
    }

    @Test("Tokens for something else, or whose time is over, are not valid")
    func tokens() async throws {
        for edit: (inout PINCaptureToken) -> Void in [
            { $0.transactionID = "another" }, { $0.expires = VirtualTime.start },
        ] {
            let (_, result, events) = try await capture(try bench(), edit: edit)
            #expect(caseName(result) == "pinTokenInvalid" && events.isEmpty)
        }
        let bench = try bench()
        let session = try await PaymentCardReader(counter: bench.bench.counter).prepare(using: bench.bench.token())
        for text in ["", "x", "a.b.c", try bench.bench.deletionToken(for: "t").rawValue] {
            let error = await thrown {
                try await session.capturePIN(using: .init(rawValue: text), cardReaderTransactionID: "t")
            }
            #expect(error == "pinTokenInvalid")
        }
    }

    @Test("What the pad says, the app gets")
    func endings() async throws {
        let failed = ["pinEntryRequested", "readNotCompleted", "userInterfaceDismissed"]
        let cancelled = ["pinEntryRequested", "readCancelled", "userInterfaceDismissed"]
        for (entry, name, expected) in [
            (PINEntry.cancelled, "pinCancelled", cancelled), (.timeout, "pinEntryTimeout", failed),
            (.failed, "pinEntryFailed", failed),
        ] {
            let (_, result, events) = try await capture(try bench { _ in entry })
            #expect(caseName(result) == name && events == expected)
        }
        let (read, result, _) = try await capture(try bench { _ in .bypassed })
        #expect(try result.get().pinBypassed && result.get().generalCardData == read.generalCardData)
    }

    @Test("A card that wants a PIN gets it in the middle of its read")
    func cardAsks() async throws {
        func read(_ pad: @escaping @Sendable (PINRequest) async -> PINEntry) async throws -> (
            PaymentBench, Result<PaymentBench.Both, any Error>, [String]
        ) {
            let bench = try plasticBench(.mastercard) {
                // CVM list: online PIN, if the terminal can (EMV Book 3, 10.5).
                $0.data[0x8E] = [0, 0, 0, 0, 0, 0, 0, 0, 0x42, 0x03, 0x1F, 0x03]
            } set: {
                $0.payment.setLimits(transaction: nil, verification: 1_000)
                $0.pinPad = pad
            }
            let (result, events) = await bench.read()
            return (bench, result, events)
        }
        let (bench, result, events) = try await read(Self.pad)
        let payment = try #require(try result.get().payment)
        #expect(
            events == [
                "readyForTap", "cardDetected", "removeCard", "pinEntryRequested", "pinEntryCompleted", "readCompleted",
                "userInterfaceDismissed",
            ])
        #expect(try field(in: payment, bench).1.prefix(4) == [0x45, 0x12, 0x34, 0x5A])
        #expect(!payment.isPINFallback && !payment.pinBypassed)
        let (_, cancelled, cancelledEvents) = try await read { _ in .cancelled }
        #expect(caseName(cancelled) == "pinCancelled")
        #expect(cancelledEvents.suffix(3) == ["pinEntryRequested", "readCancelled", "userInterfaceDismissed"])
    }

    @Test("Digits that are no PIN are wiped all the same; nothing prints one")
    func digits() throws {
        let request = PINRequest(transactionID: "t", reason: .card) { field in field.withUnsafeBytes { Array($0) } }
        for wrong: [UInt8] in [[], [1, 2, 3], [1, 2, 3, 10], Array(repeating: 1, count: 13)] {
            var digits = wrong
            guard case .failed = request.entered(erasing: &digits) else {
                Issue.record("\(wrong.count) digits")
                continue
            }
            #expect(digits.allSatisfy { $0 == 0 })
        }
        var digits: [UInt8] = [9, 8, 7, 6]
        let entry = request.entered(erasing: &digits)
        #expect("\(entry)".contains("<sealed PIN, 16 bytes>"))
        var dumped = ""
        dump(entry, to: &dumped)
        #expect(!dumped.contains("9876") && !dumped.contains("152"))
        let long = try #require(PINField.plain([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2]))
        let bytes = long.withUnsafeBytes { Array($0.prefix(8)) }
        #expect(bytes == [0x4C, 0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0xAA])
    }

    @Test("A session without a network captures no PIN")
    func offline() async throws {
        let bench = try bench()
        let reader = PaymentCardReader(counter: bench.bench.counter)
        _ = try await reader.prepare(using: bench.bench.token())
        let session = try await reader.prepareStoreAndForward()
        let read = try await session.readPaymentCard(PaymentBench.purchase)
        let error = await thrown {
            try await session.capturePIN(using: bench.bench.pinToken(for: read.id), cardReaderTransactionID: read.id)
        }
        #expect(error == "pinNotAllowed")
    }
}
