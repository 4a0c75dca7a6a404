// SPDX-License-Identifier: Apache-2.0

import BERTLV
import EMVContactless
import Foundation
import ISO7816
import Testing

@testable import EmulatedWallet

/// Every fault of a payment card, as the reader sees it.
@Suite("Payment cards with faults")
struct FaultTests {
    private static let visa = CardCase(network: .visa, isPhone: false)
    private static let chip = CardCase(network: .mastercard, isPhone: false)

    @Test("certificates and signatures", arguments: CardCorruption.allCases)
    func corruption(_ corruption: CardCorruption) throws {
        let codes: [CardCorruption: String] = [
            .authorityIndex: "unknownAuthorityKey", .issuerCertificateExpired: "expiredCertificate",
            .iccCertificateExpired: "expiredCertificate",
        ]
        for card in [Self.visa, Self.chip] {
            let result = try PaymentCounter().read(card.definition { $0.corrupt = [corruption] })
            if corruption == .cryptogram {
                #expect(result.authentication?.isVerified == true)
                let version = try #require(
                    CryptogramVersion.find(card.network, card.network.profile.plastic.cryptogramVersion))
                let expected = try result.expectedCryptogram(
                    version, pan: card.network.profile.plastic.pan, sequenceNumber: "01")
                #expect(result.data.sensitiveBytes(of: 0x9F26) != expected)
            } else {
                let failure = try #require(result.authentication?.failure)
                #expect(failure.code == codes[corruption] ?? "invalid", "\(failure)")
            }
        }
        let signed = try PaymentCounter().read(
            Self.chip.definition { ($0.authentication, $0.corrupt) = (.static, [.signature]) })
        #expect(signed.authentication?.method == .sda)
        #expect(signed.authentication?.failure != nil)
    }

    @Test("status words lead where the kernels say")
    func statusWords() throws {
        let cases: [(WritableKeyPath<PaymentStatusWords, StatusWord?>, StatusWord, CardCase, EMVOutcome.Value)] = [
            (\.ppse, 0x6A82, Self.visa, .endApplication), (\.ppse, 0x6A81, Self.chip, .endApplication),
            (\.select, 0x6A82, Self.visa, .endApplication), (\.select, 0x6283, Self.chip, .endApplication),
            (\.gpo, 0x6984, Self.visa, .tryAnotherInterface), (\.gpo, 0x6985, Self.visa, .endApplication),
            (\.gpo, 0x6986, Self.visa, .tryAgain), (\.gpo, 0x6A80, Self.visa, .endApplication),
            (\.gpo, 0x6984, Self.chip, .endApplication), (\.record, 0x6A83, Self.visa, .endApplication),
            (\.generateAC, 0x6985, Self.chip, .endApplication),
        ]
        for (member, word, card, value) in cases {
            let phone = card.phone {
                $0.statusWords[keyPath: member] = word
                $0.statusWordTaps = 1
            }
            #expect(try PaymentCounter().read(phone).outcome.value == value, "\(word)")
            #expect(try PaymentCounter().read(phone).outcome.value == .onlineRequest, "the second tap is good")
        }
    }

    @Test("objects changed or left out on their way")
    func mutations() throws {
        func read(_ card: CardCase, _ mutations: CardMutation...) throws -> EMVReadResult {
            try PaymentCounter().read(card.definition { $0.mutate = mutations })
        }
        #expect(try read(Self.visa, CardMutation(0x9F36, nil)).outcome.value == .endApplication)
        #expect(try read(Self.visa, CardMutation(0x9F38, nil)).outcome.value == .endApplication)
        #expect(try read(Self.visa, CardMutation(0x4F, [1, 2, 3])).directory.isEmpty)
        #expect(try read(Self.visa, CardMutation(0x9F10, [0x01])).hex(0x9F10) == "01")
        let other = try read(Self.visa, CardMutation(0x9F69, [0x00]))
        #expect(other.authentication?.failure != nil)
        #expect(
            try read(Self.chip, CardMutation(0x5F24, [0x20, 0x01, 0x31])).authentication?.failure?.code
                == "hashMismatch")
        #expect(try read(Self.chip, CardMutation(0x94, nil)).outcome.value == .endApplication)
        #expect(try read(Self.chip, CardMutation(0x9F27, [0x40])).outcome.value == .endApplication)
        let both = try read(Self.chip, CardMutation(0x9F10, [0x02]), CardMutation(0x50, nil))
        #expect(both.authentication?.failure != nil)
        #expect(both.hex(0x50) == nil)
        #expect(try read(Self.chip, CardMutation(0x9F7C, [1])).outcome.value == .onlineRequest, "not sent, not added")
    }

    @Test("leaving the field at each command, then a good tap", arguments: CardCase.all)
    func leaving(card: CardCase) throws {
        let channel = PhoneChannel(card.phone())
        channel.phone.fieldOn()
        _ = try PaymentCounter().read(over: channel)
        for command in 1...channel.exchanges.count {
            var definition = card.definition()
            (definition.leavesFieldAt, definition.leavesFieldTaps) = (command, 1)
            let phone = EmulatedPhone(definition)
            let error = #expect(throws: EMVError.self) { _ = try PaymentCounter().read(phone) }
            #expect(error?.code == .channel)
            let result = try PaymentCounter().read(phone)
            #expect(result.outcome.value == .onlineRequest)
            #expect(result.authentication?.isVerified == true)
        }
    }

    @Test("silent, and slow")
    func silentAndSlow() throws {
        var definition = Self.visa.definition()
        definition.silentAt = 3
        #expect(throws: EMVError.self) { _ = try PaymentCounter().read(definition) }
        definition.silentAt = nil
        definition.answerDelay = 300
        let phone = EmulatedPhone(definition)
        phone.fieldOn()
        let answer = phone.respond(to: CommandAPDU.select(.proximityPaymentSystem).bytes)
        guard case .response(_, after: let delay) = answer else { throw CardChannelError(.cardGone, reason: "") }
        #expect(delay == .milliseconds(300))
    }

    @Test("odd transport: small pieces, exact lengths")
    func transport() throws {
        for card in CardCase.all {
            var definition = card.definition()
            definition.answer.chunkSize = 40
            #expect(try PaymentCounter().read(definition).authentication?.isVerified == true)
            (definition.answer.chunkSize, definition.answer.wantsExactLe) = (nil, true)
            #expect(try PaymentCounter().read(definition).authentication?.isVerified == true)
        }
    }

    @Test("another authority's keys do not verify")
    func untrusted() throws {
        var counter = PaymentCounter()
        counter.authorities = #"{"use":"test","keys":[]}"#
        #expect(try counter.read(Self.chip.definition()).authentication?.failure?.code == "unknownAuthorityKey")
        let keys = try AuthorityKeys(json: Data(EmulatedCards.authorityKeysJSON.utf8))
        #expect(keys.count == PaymentNetwork.allCases.count)
        #expect(throws: EMVError.self) {
            _ = try AuthorityKeys(json: Data(EmulatedCards.authorityKeysJSON.utf8), use: .live)
        }
    }
}
