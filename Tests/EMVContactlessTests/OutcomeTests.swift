// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EMVContactless

@Suite("Outcomes, errors and configuration")
struct OutcomeTests {
    @Test("Each kind of outcome carries the fields of its kind")
    func fields() {
        let sign = EMVOutcome.approved(.signature)
        #expect(sign.receipt && sign.hasDataRecord && sign.uiRequestOnOutcome?.message == .approvedSign)
        #expect(!EMVOutcome.approved(.noCVM).receipt)
        let declined = EMVOutcome.declined(.cardDeclined)
        #expect(declined.hasDataRecord && declined.uiRequestOnOutcome?.message == .declined)
        let end = EMVOutcome.endApplication(.notAPaymentCard)
        #expect(!end.hasDataRecord && end.uiRequestOnOutcome?.status == .processingError)
        let other = EMVOutcome.tryAnotherInterface(.otherInterface)
        #expect(other.alternateInterface == .contactChip && other.uiRequestOnOutcome?.message == .insertCard)
        let next = EMVOutcome.selectNext(.wrongApplication)
        #expect(next.start == .c && next.uiRequestOnOutcome == nil && next.removalTimeout == .zero)
        #expect(EMVOutcome.onlineRequest(.onlinePIN).verification == .onlinePIN)
    }

    @Test("Messages and reasons are words")
    func words() {
        #expect(UIMessage.insertCard.description == "Please insert card")
        #expect(UIMessage(rawValue: 0x7F).description == "Message 127")
        let reason = EMVReason.recordMissing.adding("file 1 record 2")
        #expect(reason.code == EMVReason.recordMissing.code && "\(reason)".hasSuffix(": file 1 record 2"))
        #expect(UIRequest(.presentCard, .readyToRead).hold == .zero)
    }

    @Test("Errors say what and where, and what to do")
    func errors() {
        let error = EMVError(.malformedCardData, "a thing is wrong", hint: "try this", offset: 3)
        #expect("\(error)" == "a thing is wrong; try this" && error.offset == 3 && error.channelError == nil)
        let channel = EMVError(CardChannelError(.timedOut, reason: "too late", hint: "again"))
        #expect(channel.code == .channel && channel.channelError?.code == .timedOut && channel.hint == "again")
        let tlv = EMVError(TLVError(.truncatedValue, part: .value, tag: "57", offset: 9), in: "a record")
        #expect(tlv.code == .malformedCardData && tlv.offset == 9 && tlv.reason.hasPrefix("a record: "))
    }

    @Test("Configurations that cannot be used are refused")
    func combinations() throws {
        let eight = hex("0300000000000000")
        let good = try Combination(aid: hex("A0000000031010"), kernelIdentifier: eight, qualifiers: hex("20004000"))
        #expect(good.kernel == 3 && good.qualifiers?.bytes == hex("20004000"))
        let bad: [(String, [UInt8], String?)] = [
            ("A0000000", eight, nil), ("A0000000031010", hex("030000"), nil), ("A0000000031010", hex("00"), nil),
            ("A0000000031010", [UInt8](repeating: 0, count: 8), nil), ("A0000000031010", eight, "200040"),
        ]
        for (aid, kernel, qualifiers) in bad {
            let error = #expect(throws: EMVError.self) {
                try Combination(aid: hex(aid), kernelIdentifier: kernel, qualifiers: qualifiers.map(hex))
            }
            #expect(error?.code == .configuration)
        }
    }

    @Test("The standard set-up covers every kernel and asks for online cryptograms")
    func standard() {
        let combinations = Combination.standard(cvmLimit: 5000)
        #expect(Set(combinations.map(\.kernel)) == Set(Kernel.standard.keys))
        let active = PreProcessing(combinations, transaction: Setup.transaction(5000)).active
        #expect(active.count == combinations.count)
        for combination in active {
            #expect(combination.qualifiers?.requiresOnlineCryptogram == true && combination.requiresCVM)
            #expect(combination.qualifiers?.requiresCVM == true && combination.qualifiers?.supportsOnlinePIN == false)
        }
        for (id, kernel) in Kernel.standard { #expect(kernel.id == id && !kernel.name.isEmpty) }
    }

    @Test("A combination without a kernel is left out; nothing left is an outcome, and no command is sent")
    func noKernel() throws {
        var configuration = Setup.configuration()
        configuration.kernels = [:]
        let channel = ScriptChannel([])
        let entryPoint = EntryPoint(configuration: configuration, transaction: Setup.transaction())
        let result = try entryPoint.read(over: channel)
        #expect(result.outcome.reason == .nothingConfigured && channel.sent.isEmpty)
        let active = try #require(PreProcessing(Setup.everyProvider(), transaction: Setup.transaction()).active.first)
        let candidate = Candidate(direct: hex("A0000000031010"), active: active)
        #expect(try entryPoint.read(candidate, over: channel).outcome.reason == .noKernel)
    }

    @Test("Terminal data: currency, country, amounts and dates as the card wants them")
    func terminalData() {
        var transaction = Setup.transaction(123_456_789_012)
        (transaction.otherAmount, transaction.type) = (5, 0x09)
        #expect(Hex.encode(transaction.objects[0x9F02] ?? []) == "123456789012")
        #expect(Hex.encode(transaction.objects[0x9F03] ?? []) == "000000000005")
        #expect(Hex.encode(transaction.objects[0x5F2A] ?? []) == "0978" && transaction.objects[0x9C] == [0x09])
        #expect(transaction.objects[0x81] == [0xFF, 0xFF, 0xFF, 0xFF] && transaction.objects[0x9F04] == [0, 0, 0, 5])
        #expect(Setup.transaction().objects[0x9A] == hex("260805"))
        var terminal = TerminalProfile(country: 276)
        terminal.floorLimit = 10000
        #expect(terminal.objects[0x9F1A] == hex("0276") && terminal.objects[0x9F1B] == hex("00002710"))
        #expect(!terminal.supportsOnlinePIN && !terminal.supportsSignature)
    }
}

@Suite("Answers of a card")
struct ResponseTests {
    @Test("GPO: both formats, and what is neither")
    func processingOptions() throws {
        let first = try ProcessingOptions(hex("8006200008010100"))
        #expect(first.format == .format1 && first.objects.map(\.tag) == [0x82, 0x94])
        let second = try ProcessingOptions(hex("770A820220009404080101 00"))
        #expect(second.format == .format2 && second.objects.map { Array($0.value) } == [hex("2000"), hex("08010100")])
        for bad in ["", "8002 2000", "7002 8200", "77028202", "8006200008010100 8000", "00"] {
            #expect(throws: EMVError.self) { try ProcessingOptions(hex(bad)) }
        }
    }

    @Test("GENERATE AC: both formats; CDA hashes everything but the signature")
    func cryptogram() throws {
        let fixed = try GeneratedCryptogram(hex("8012 80 0007 1122334455667788 0110A000000000"))
        #expect(fixed.format == .format1 && fixed.objects.map(\.tag) == [0x9F27, 0x9F36, 0x9F26, 0x9F10])
        #expect(Array(fixed.objects[2].value) == hex("1122334455667788") && fixed.signedObjects.isEmpty)
        let short = try GeneratedCryptogram(hex("800B 40 0007 1122334455667788"))
        #expect(short.objects.count == 3)
        let tagged = try GeneratedCryptogram(hex("770E 9F270180 9F4B020102 9F36020007"))
        #expect(tagged.signedObjects == hex("9F270180 9F36020007"))
        for bad in ["", "8003800007", "7003800007", "77029F27"] {
            #expect(throws: EMVError.self) { try GeneratedCryptogram(hex(bad)) }
        }
    }

    @Test("Records: one template in files 1 to 10, anything above")
    func records() throws {
        let record = try ApplicationRecord(hex("7003 5A0110"), sfi: 10)
        #expect(record.objects.map(\.tag) == [0x5A] && Array(record.signedBytes) == hex("5A0110"))
        let padded = try ApplicationRecord(hex("7005 00 5A0110 00"), sfi: 1)
        #expect(padded.objects.count == 1 && padded.signedBytes.count == 5)
        #expect(Array(try ApplicationRecord(hex("0102"), sfi: 11).signedBytes) == hex("0102"))
        for bad in ["", "5A0110", "70035A0110FF", "70045A0110"] {
            #expect(throws: EMVError.self) { try ApplicationRecord(hex(bad), sfi: 1) }
        }
    }

    @Test("FCI: one template with a name")
    func information() throws {
        let fci = try FileControlInformation(hex("6F1284 07A0000000031010 A507 5005 4150502031"))
        #expect(fci.name == hex("A0000000031010") && fci.pdol == nil)
        for bad in ["", "7000", "6F00", "6F0384 01A0", "6F098407A0000000031010 6F00"] {
            #expect(throws: EMVError.self) { try FileControlInformation(hex(bad)) }
        }
    }

    @Test("A transcript's format 1 answers are taken apart; directories are kept apart")
    func transcript() {
        var decoder = TranscriptDecoder()
        let directory = "6F23840E325041592E5359532E4444463031A511BF0C0E610C4F07A0000000031010870101"
        decoder.observe(command: hex("00A404000E325041592E5359532E444446303100"), response: hex(directory + "9000"))
        #expect(decoder.directory.map(\.priority) == [1] && decoder.data.tags.isEmpty && decoder.application == nil)
        decoder.observe(command: hex("80A8000002830000"), response: hex("80062000080101009000"))
        decoder.observe(command: hex("80AE800000"), response: hex("800B 80 0007 1122334455667788 9000"))
        #expect(decoder.processingOptionsFormat == .format1 && decoder.data.bytes(of: 0x82) == hex("2000"))
        #expect(decoder.data.sensitiveBytes(of: 0x9F26) == hex("1122334455667788"))
        decoder.observe(command: hex("80A8000002830000"), response: hex("6985"))
        decoder.observe(command: hex("00B2010C00"), response: hex("70"))
        #expect(decoder.data.tags.count == 5)
    }

    @Test("Bytes are overwritten in place")
    func wipe() {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.wipe()
        #expect(bytes == [0, 0, 0])
        var response = CardResponse(data: [9, 9], status: .success)
        response.wipe()
        #expect(response.data == [0, 0])
    }
}
