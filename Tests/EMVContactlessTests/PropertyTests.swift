// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EMVContactless

/// Whatever the bytes, every parser answers or throws; it never traps.
@Suite("Parsers never trap")
struct PropertyTests {
    private static let rounds = 3000

    @Test("Values of single objects")
    func values() {
        var generator = SeededGenerator(1)
        for _ in 0..<Self.rounds {
            let bytes = generator.bytes(0...40)
            if let list = try? DataObjectList(bytes) {
                #expect(list.data(from: [[0x9F02: [1, 2]]]).count == list.dataLength)
            }
            if let afl = try? ApplicationFileLocator(bytes) { #expect(!afl.records.isEmpty) }
            if let list = try? CardholderVerificationList(bytes) { _ = list.rules.map(\.words) }
            if let track = try? Track2(bytes) { #expect(!track.pan.isEmpty) }
            _ = try? Track1([0x42] + bytes)
            _ = KernelID(bytes)
            _ = EMVDate(bcd: bytes.prefix(3)).map { $0.bcd + $0.time }
            _ = EMVDate(monthYear: bytes.prefix(2))
            for field in BitFields.all { _ = field.words(for: bytes) }
        }
    }

    @Test("Answers of a card")
    func answers() {
        var generator = SeededGenerator(2)
        for round in 0..<Self.rounds {
            let template: [UInt8] = [[0x6F], [0x70], [0x77], [0x80]][round % 4]
            let body = generator.bytes(0...60)
            let bytes = round.isMultiple(of: 3) ? body : template + [UInt8(body.count)] + body
            _ = try? FileControlInformation(bytes)
            _ = try? ProcessingOptions(bytes)
            _ = try? GeneratedCryptogram(bytes)
            _ = try? ApplicationRecord(bytes, sfi: 1)
            _ = try? CandidateList(directory: bytes, combinations: [])
            var decoder = TranscriptDecoder()
            decoder.observe(command: [0x80, 0xA8, 0, 0], response: bytes + [0x90, 0x00])
            decoder.observe(command: [], response: generator.bytes(0...4))
        }
    }

    @Test("Directory entries with any contents")
    func directory() throws {
        var generator = SeededGenerator(3)
        let active = PreProcessing(Setup.everyProvider(), transaction: Setup.transaction()).active
        for _ in 0..<Self.rounds {
            let entry = TLVBuilder.build { builder in
                builder.append(0x4F, hex("A0000000031010").prefix(Int.random(in: 0...7, using: &generator)))
                builder.append(0x87, generator.bytes(0...2))
                builder.append(0x9F2A, generator.bytes(0...9))
                builder.append(0x9F29, generator.bytes(0...12))
            }
            let response = TLVBuilder.build { builder in
                builder.append(0x6F) { $0.append(0xA5) { $0.append(0xBF0C) { $0.append(0x61, entry) } } }
            }
            for candidate in try CandidateList(directory: response, combinations: active).candidates {
                #expect((5...16).contains(candidate.selectionName.count))
            }
        }
    }

    @Test("Recovered certificates and signatures with any contents")
    func recovery() {
        var generator = SeededGenerator(4)
        // Exponent 1 leaves the signature as it is: the frame can be right, its fields anything.
        let key = RecoveryKey(modulus: [UInt8](repeating: 0xFF, count: 96), exponent: [1])
        for round in 0..<Self.rounds {
            var bytes = generator.bytes(96...96)
            (bytes[0], bytes[1], bytes[95]) = (0x6A, [2, 3, 4, 5][round % 4], 0xBC)
            if round.isMultiple(of: 2) { (bytes[2], bytes[11], bytes[12]) = (1, 1, 1) }
            let rest = generator.bytes(0...40)
            _ = try? IssuerCertificate(bytes, remainder: rest, exponent: [3], authority: key)
            _ = try? CardCertificate(bytes, remainder: rest, exponent: [3], issuer: key)
            _ = try? StaticSignature(bytes, issuer: key)
            _ = try? DynamicSignature(bytes, card: key).combined()
        }
    }

    @Test("A card that answers anything")
    func wildCard() {
        var generator = SeededGenerator(5)
        let entryPoint = EntryPoint(configuration: Setup.configuration(), transaction: Setup.transaction())
        for _ in 0..<500 {
            let result = try? entryPoint.read(over: WildCard(seed: generator.next()))
            if let result { #expect(result.outcome.value != .selectNext) }
        }
    }
}

/// Answers plausible templates with random contents.
private final class WildCard: CardChannel {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed) }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let fixed: [UInt8: [UInt8]] = [
            0xA8: hex("77"), 0xB2: hex("70"), 0xAE: hex("77"), 0xC0: hex("77"),
        ]
        if Int.random(in: 0..<12, using: &generator) == 0 { return generator.bytes(0...6) }
        if command[1] == 0xA4 { return select(command) }
        let objects = TLVBuilder.build { builder in
            for tag: TLVTag in [0x82, 0x94, 0x8C, 0x8E, 0x9F27, 0x9F36, 0x9F26, 0x57, 0x9F6C, 0x9F4B, 0x9F69, 0x5F24] {
                guard Bool.random(using: &generator) else { continue }
                let usual: [TLVTag: [UInt8]] = [0x82: hex("5980"), 0x94: hex("08010100"), 0x9F27: [0x80]]
                let isUsual = Bool.random(using: &generator)
                builder.append(tag, isUsual ? usual[tag] ?? generator.bytes(2...12) : generator.bytes(0...16))
            }
        }
        return (fixed[command[1]] ?? [0x77]) + [0x81, UInt8(truncatingIfNeeded: objects.count)] + objects + [
            0x90, 0x00,
        ]
    }

    private func select(_ command: [UInt8]) -> [UInt8] {
        let name = Array(command.dropFirst(5).dropLast())
        if name == AID.proximityPaymentSystem.bytes {
            return hex(
                "6F23840E325041592E5359532E4444463031A511BF0C0E610C4F07"
                    + (Bool.random(using: &generator) ? "A0000000031010" : "A0000000041010") + "8701019000")
        }
        let pdol = generator.bytes(0...12)
        return TLVBuilder.build { builder in
            builder.append(0x6F) { fci in
                fci.append(0x84, name)
                fci.append(0xA5) { $0.append(0x9F38, pdol) }
            }
        } + [0x90, 0x00]
    }
}
