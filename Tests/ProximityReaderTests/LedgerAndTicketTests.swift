// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import ISO7816
import Testing

@testable import ProximityReader

@Suite("Answers over several taps")
struct LedgerTests {
    private let merchants = ["pass.a", "pass.b"].map { VASMerchant(passTypeIdentifier: $0) }

    private func entry(_ index: Int, _ status: StatusWord, data: [UInt8] = []) throws -> VASEntry {
        VASEntry(merchant: merchants[index], response: try ResponseAPDU(data + status.bytes))
    }

    /// A template with 56 bytes of 9F27, all the same.
    private func pass(_ byte: UInt8) -> [UInt8] {
        [0x70, 0x3B, 0x9F, 0x27, 0x38] + Array(repeating: byte, count: 56)
    }

    @Test("A pass stays, whatever comes after it; a newer pass replaces it")
    func merging() throws {
        var ledger = EntryLedger(merchants)
        #expect(ledger.entries.map(\.status) == [.vasDataNotFound, .vasDataNotFound])
        #expect(!ledger.hasSuccess && !ledger.isLocked && !ledger.isReadable)
        ledger.merge([try entry(0, .success, data: pass(1))])
        ledger.merge([try entry(0, 0x6287), try entry(1, 0x6A83)])
        #expect(ledger.entries.map(\.status) == [.success, .vasDataNotFound])
        #expect(ledger.entries.first?.customerVASData?.first == 1)
        ledger.merge([try entry(0, .success, data: pass(2))])
        #expect(ledger.entries.first?.customerVASData?.first == 2)
        #expect(ledger.hasSuccess && ledger.isReadable)
    }

    @Test("Locked is 6287 without a success")
    func locked() throws {
        var ledger = EntryLedger(merchants)
        ledger.merge([try entry(0, 0x6A83)])
        #expect(!ledger.isLocked)
        ledger.merge([try entry(0, 0x6A83), try entry(1, 0x6287)])
        #expect(ledger.isLocked && ledger.isReadable)
        ledger.merge([try entry(0, .success, data: pass(1)), try entry(1, 0x6287)])
        #expect(!ledger.isLocked)
    }

    @Test("More answers than merchants are not looked at")
    func tooMany() throws {
        var ledger = EntryLedger(Array(merchants.prefix(1)))
        ledger.merge([try entry(0, 0x6A83), try entry(1, .success, data: pass(1))])
        #expect(ledger.entries.count == 1 && !ledger.hasSuccess)
    }
}

@Suite("The right to cancel")
struct TicketTests {
    @Test("Before, during and after the wait")
    func phases() async throws {
        let early = ReadTicket()
        #expect(await early.cancel())
        #expect(await !early.cancel())
        #expect(throws: PaymentCardReaderSession.ReadError.self) { try early.beginWaiting {} }
        let waiting = ReadTicket()
        await confirmation { ended in
            try? waiting.beginWaiting { ended() }
            #expect(await waiting.cancel())
        }
        #expect(waiting.stopped?.errorName == "readCancelled")
        #expect(throws: PaymentCardReaderSession.ReadError.self) { try waiting.cardDetected() }
        let late = ReadTicket()
        try late.beginWaiting { Issue.record("nothing waits any more") }
        try late.cardDetected()
        #expect(await !late.cancel())
        try late.cardLost()
        #expect(await late.cancel())
    }

    @Test("A stop that came too late for the card ends the read when the tap is torn")
    func stoppedDuringTornTap() async throws {
        let ticket = ReadTicket()
        try ticket.beginWaiting {}
        try ticket.cardDetected()
        #expect(ticket.stop(.readFromBackgroundError) == false)
        #expect(await !ticket.cancel(), "cancelRead is about this card only")
        #expect(ticket.stopped == nil)
        #expect(throws: PaymentCardReaderSession.ReadError.self) { try ticket.cardLost() }
        #expect(ticket.stopped?.errorName == "readFromBackgroundError")
    }

    @Test("A look at a locked phone is waited for", arguments: [true, false])
    func probing(_ detected: Bool) async throws {
        let ticket = ReadTicket()
        try ticket.beginProbe()
        let cancel = Task { await ticket.cancel() }
        // The cancellation has to be in place before the look ends; how long that takes is not ours to say.
        try await Task.sleep(for: .milliseconds(50))
        do throws(PaymentCardReaderSession.ReadError) {
            try ticket.endProbe(detected: detected)
            #expect(detected)
        } catch {
            #expect(!detected && error.errorName == "readCancelled")
        }
        #expect(await cancel.value == !detected)
    }

    @Test("A read that is stopped during a look ends after it, unless that brings a pass", arguments: [true, false])
    func stoppedWhileProbing(_ detected: Bool) throws {
        let ticket = ReadTicket()
        try ticket.beginProbe()
        #expect(ticket.stop(.readFromBackgroundError) == nil)
        #expect(ticket.stop(.readCancelled) == nil)
        if detected {
            try ticket.endProbe(detected: true)
            #expect(ticket.stopped == nil)
        } else {
            #expect(throws: PaymentCardReaderSession.ReadError.self) { try ticket.endProbe(detected: false) }
            #expect(ticket.stopped?.errorName == "readFromBackgroundError")
        }
    }
}
