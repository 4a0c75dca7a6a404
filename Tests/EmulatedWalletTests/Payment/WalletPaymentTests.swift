// SPDX-License-Identifier: Apache-2.0

import BERTLV
import EMVContactless
import ISO7816
import Testing

@testable import EmulatedWallet

/// When a phone pays: armed, locked, express; before and after passes.
@Suite("A phone that pays")
struct WalletPaymentTests {
    private func definition(_ change: (inout PhoneDefinition) -> Void = { _ in }) -> PhoneDefinition {
        var definition = PhoneDefinition()
        definition.paymentCard = PaymentCard(.visa)
        change(&definition)
        return definition
    }

    private func value(_ phone: EmulatedPhone) throws -> EMVOutcome.Value {
        try PaymentCounter().read(phone).outcome.value
    }

    private func capabilities(_ phone: EmulatedPhone) throws -> UInt8? {
        let response = try phone.tap()
        phone.fieldOff()
        let template = try #require(try TLV.read(Array(response.data)).first)
        return try template.contents().first(0x9F23)?.value.last
    }

    @Test("armed or not: the capabilities and the payment agree")
    func armed() throws {
        let phone = EmulatedPhone(definition { $0.paymentCard?.armed = false })
        #expect(try capabilities(phone) == 0x1E)
        #expect(try value(phone) == .endApplication)
        phone.authenticatePayment()
        #expect(try capabilities(phone) == 0x3E)
        #expect(try value(phone) == .onlineRequest)
        phone.disarmPayment()
        #expect(try value(phone) == .endApplication)
        phone.authenticatePayment()
        phone.lock()
        #expect(try capabilities(phone) == 0x1E, "a locked phone is not ready")
        #expect(try value(phone) == .endApplication)
        phone.unlock()
        #expect(try value(phone) == .onlineRequest)
    }

    @Test("what an unarmed card answers")
    func unarmed() throws {
        #expect(try value(EmulatedPhone(definition { $0.paymentCard?.armed = false })) == .endApplication)
        func phone(_ answer: UnarmedAnswer) -> EmulatedPhone {
            var card = PaymentCard(.visa)
            (card.armed, card.unarmed, card.armsAtTap) = (false, answer, 2)
            return EmulatedPhone(definition { $0.paymentCard = card })
        }
        let looking = phone(.seePhone)
        #expect(try value(looking) == .tryAgain)
        #expect(try value(looking) == .onlineRequest, "authenticated before the second tap")
        let silent = phone(.silent)
        #expect(throws: EMVError.self) { _ = try value(silent) }
    }

    @Test("a locked phone pays in express mode only, without verifying its owner")
    func express() throws {
        #expect(try value(EmulatedPhone(definition { $0.locked = true })) == .endApplication)
        let phone = EmulatedPhone(
            definition {
                $0.locked = true
                $0.paymentCard?.express = true
            })
        #expect(try capabilities(phone) == 0x3E)
        let result = try PaymentCounter().read(phone)
        #expect(result.outcome.value == .onlineRequest)
        #expect(result.hex(0x9F6C) == "0000")
        var counter = PaymentCounter()
        counter.cvmLimit = 1000
        #expect(try counter.read(phone).outcome.value == .tryAgain, "above the limit the owner is wanted")
        phone.unlock()
        #expect(try counter.read(phone).outcome.verification == .confirmationCodeVerified)
    }

    @Test("the owner unlocks before the second tap: pass and payment")
    func unlocking() throws {
        let phone = EmulatedPhone(definition { ($0.locked, $0.unlocksAtTap) = (true, 2) })
        #expect(try value(phone) == .endApplication)
        #expect(try value(phone) == .onlineRequest)
    }

    @Test("pass and payment in one tap, as the reader's mode says")
    func modes() throws {
        let club = try Club()
        let cases: [(mode: UInt8, hasPass: Bool, status: StatusWord)] = [
            (0, true, 0x6A82), (0, false, 0x9000), (1, true, 0x9000), (1, false, 0x9000), (2, true, 0x6A82),
            (2, false, 0x6A82),
        ]
        for (mode, hasPass, status) in cases {
            let phone = EmulatedPhone(
                definition { if hasPass { $0.passes = [club.pass()] } })
            try phone.tap()
            let answer = try phone.status(VASRequest(club) { $0.capabilities = [0, 0x80, 0, mode] })
            #expect(answer == (hasPass ? 0x9000 : 0x6A83))
            #expect(try phone.send(CommandAPDU.select(.proximityPaymentSystem).bytes).status == status, "mode \(mode)")
            #expect(try value(phone) == .onlineRequest, "the next tap is new")
        }
    }

    @Test("passes are still read when the payment card was selected before")
    func passesAfterPayment() throws {
        let club = try Club()
        let phone = EmulatedPhone(definition { $0.passes = [club.pass()] })
        phone.fieldOn()
        #expect(try phone.send(Hex.decode("00A4040007A000000003101000")).status == 0x9000)
        #expect(try phone.send(club.getVASData).status == 0x6D00, "the payment application knows no passes")
        #expect(try phone.send(selectVAS).status == 0x9000)
        #expect(try phone.status(club) == 0x9000)
    }

    @Test("a card without CDCVM asks for the phone above the limit")
    func withoutVerification() throws {
        var counter = PaymentCounter()
        let phone = EmulatedPhone(definition { $0.paymentCard?.cdcvm = false })
        #expect(try counter.read(phone).outcome.value == .onlineRequest)
        counter.cvmLimit = 1000
        #expect(try counter.read(phone).outcome.value == .tryAgain)
    }

    @Test("plastic has its own answer to reset and to SELECT OSE.VAS.01")
    func plastic() throws {
        let phone = EmulatedPhone(CardCase(network: .visa, isPhone: false).definition { $0.vasAnswer = 0x6999 })
        #expect(phone.fieldOn() == EmulatedPhone.plasticAnswerToReset)
        #expect(EmulatedPhone.plasticAnswerToReset.dropFirst().reduce(0, ^) == 0)
        #expect(try ATR(EmulatedPhone.plasticAnswerToReset).bytes == EmulatedPhone.plasticAnswerToReset)
        #expect(try phone.send(selectVAS).status == 0x6999)
    }
}
