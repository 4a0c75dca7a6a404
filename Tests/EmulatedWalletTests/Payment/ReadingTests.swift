// SPDX-License-Identifier: Apache-2.0

import BERTLV
import EMVContactless
import ISO7816
import Testing

@testable import EmulatedWallet

/// Every network's card, in a phone and of plastic, as EMVContactless reads it.
@Suite("Payment cards are read")
struct ReadingTests {
    @Test("an online cryptogram, authenticated, that the issuer's key verifies", arguments: CardCase.all)
    func online(card: CardCase) throws {
        let result = try PaymentCounter().read(card.definition())
        #expect(result.outcome.value == .onlineRequest, "\(result.outcome)")
        #expect(result.authentication?.isVerified == true, "\(String(describing: result.authentication))")
        #expect(result.authentication?.method == (card.generates ? .cda : .fDDA))
        #expect(result.data.isPANValid == true)
        let side = card.network.profile.side(card.isPhone ? .phone : .plastic)
        let version = try #require(CryptogramVersion.find(card.network, side.cryptogramVersion))
        #expect(TestCards.contains(pan: side.pan))
        #expect(
            try result.data.sensitiveBytes(of: 0x9F26)
                == result.expectedCryptogram(version, pan: side.pan, sequenceNumber: "01"))
        #expect(result.hex(0x9F36) == "0001")
        #expect(result.hex(0x9F27) == "80")
        #expect(result.hex(0x5F24) == "351231")
        #expect(result.hex(0x9F24) != nil || !card.isPhone)
    }

    @Test("each transaction has the next counter", arguments: CardCase.all)
    func counter(card: CardCase) throws {
        let phone = card.phone { $0.counter = 0xFFFF }
        for expected in ["FFFF", "0000", "0001"] {
            let result = try PaymentCounter().read(phone)
            #expect(result.hex(0x9F36) == expected)
            #expect(result.authentication?.isVerified == true)
        }
        #expect(phone.paymentCount == 3)
    }

    @Test("approved or declined by the card", arguments: CardCase.all)
    func decisions(card: CardCase) throws {
        var counter = PaymentCounter()
        counter.alwaysOnline = false
        let declined = try counter.read(card.definition { $0.cryptogram = .declined })
        #expect(declined.outcome.value == .declined)
        #expect(declined.hex(0x9F27) == "00")
        let approved = try counter.read(card.definition { $0.cryptogram = .approved })
        // The reader's floor limit is zero: with GENERATE AC it asks for an online cryptogram and gets no more.
        #expect(approved.outcome.value == (card.generates ? .onlineRequest : .approved), "\(approved.outcome)")
        #expect(approved.authentication?.isVerified == true)
    }

    @Test("declineNextPayment() declines one")
    func declineNext() throws {
        let phone = CardCase(network: .visa, isPhone: true).phone()
        phone.declineNextPayment()
        #expect(try PaymentCounter().read(phone).outcome.value == .declined)
        #expect(try PaymentCounter().read(phone).outcome.value == .onlineRequest)
    }

    @Test("the issuer's signature alone", arguments: [PaymentNetwork.mastercard, .amex, .jcb])
    func `static`(network: PaymentNetwork) throws {
        let card = CardCase(network: network, isPhone: false)
        let result = try PaymentCounter().read(card.definition { $0.authentication = .static })
        #expect(result.authentication?.method == .sda)
        #expect(result.authentication?.isVerified == true)
        #expect(result.outcome.value == .onlineRequest)
    }

    @Test("nothing to authenticate", arguments: CardCase.all)
    func unauthenticated(card: CardCase) throws {
        let result = try PaymentCounter().read(card.definition { $0.authentication = .none })
        #expect(result.authentication == nil)
        #expect(result.outcome.value == .onlineRequest, "\(result.outcome)")
    }

    @Test("without the qualifier for it, everything is in the answer to GET PROCESSING OPTIONS")
    func inline() throws {
        var counter = PaymentCounter()
        counter.qualifiers[0] = 0x20
        for network in [PaymentNetwork.visa, .discover, .unionpay] {
            let channel = PhoneChannel(CardCase(network: network, isPhone: true).phone())
            channel.phone.fieldOn()
            let result = try counter.read(over: channel)
            #expect(result.outcome.value == .onlineRequest)
            #expect(channel.exchanges.count == 3)
            #expect(result.hex(0x82) == "0040")
            #expect(result.hex(0x9F24)?.count == 58)
        }
    }

    @Test("a phone's owner is verified by the device, a plastic card's is not")
    func verification() throws {
        var counter = PaymentCounter()
        counter.cvmLimit = 1000
        for network in PaymentNetwork.allCases where ![.interac, .jcb].contains(network) {
            let phone = try counter.read(CardCase(network: network, isPhone: true).definition())
            #expect(phone.outcome.verification == .confirmationCodeVerified, "\(network): \(phone.outcome)")
            let plastic = try counter.read(CardCase(network: network, isPhone: false).definition())
            #expect(plastic.outcome.verification != .confirmationCodeVerified)
        }
    }

    @Test("the reader finds the shapes of a wallet phone")
    func shapes() throws {
        let phone = try PaymentCounter().read(CardCase(network: .visa, isPhone: true).definition())
        #expect(phone.hex(0x9F6E) == "23880000")
        #expect(phone.hex(0x9F6C) == "0080")
        #expect(phone.hex(0x9F10)?.hasPrefix("1F4A6331A0") == true)
        #expect(phone.data.sensitiveBytes(of: 0x9F10)?.count == 32)
        let plastic = try PaymentCounter().read(CardCase(network: .visa, isPhone: false).definition())
        #expect(plastic.hex(0x9F6E) == "20700000")
        #expect(plastic.hex(0x9F10) == "06011203A0B800")
    }

    @Test("each cryptogram version that a network has", arguments: CryptogramVersion.all.indices)
    func versions(index: Int) throws {
        let version = CryptogramVersion.all[index]
        let card = CardCase(network: version.network, isPhone: false)
        let result = try PaymentCounter().read(card.definition { $0.cryptogramVersion = version.number })
        let pan = card.network.profile.plastic.pan
        #expect(
            try result.data.sensitiveBytes(of: 0x9F26)
                == result.expectedCryptogram(version, pan: pan, sequenceNumber: "01"))
    }

    @Test("another account, month, label and objects, all signed")
    func personalised() throws {
        let result = try PaymentCounter().read(
            CardCase(network: .visa, isPhone: false).definition {
                ($0.pan, $0.sequenceNumber, $0.label) = ("4111111111111111", "07", "TEST")
                $0.expiry = CardMonth(year: 2028, month: 2)
                $0.data = [0x9F07: [0xFF, 0x00], 0x9F08: [0x00, 0x96], 0x9F6C: [0x16, 0x00]]
            })
        #expect(result.authentication?.isVerified == true)
        #expect(result.data.maskedPAN == "411111******1111")
        #expect(result.hex(0x5F24) == "280229")
        #expect(result.hex(0x9F07) == "FF00")
        #expect(result.hex(0x9F08) == "0096")
        #expect(result.hex(0x9F6C) == "1600")
        #expect(result.hex(0x50) == Hex.encode("TEST".utf8))
    }

    @Test("two applications on one card: the first refuses, the second is read")
    func coBadged() throws {
        let result = try PaymentCounter().read(
            CardCase(network: .visa, isPhone: false).definition {
                $0.statusWords.gpo = 0x6985
                $0.others = [PaymentCard(.mastercard)]
            })
        #expect(result.directory.count == 2)
        #expect(result.kernel == 2)
        #expect(result.outcome.value == .onlineRequest)
        #expect(result.authentication?.isVerified == true)
    }
}
