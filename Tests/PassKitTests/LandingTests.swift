// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import Foundation
import ISO7816
import PassKit
import Testing

@Suite("A provisioned card in the emulated phone")
@MainActor
struct LandingTests {
    /// SELECT of the contactless directory (EMV Contactless Book B, 3.3.2).
    private static let selectDirectory: [UInt8] =
        [0x00, 0xA4, 0x04, 0x00, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x00]

    private func directory(_ phone: EmulatedPhone) -> [UInt8] {
        phone.fieldOn()
        defer { phone.fieldOff() }
        guard case .response(let bytes, _) = phone.respond(to: Self.selectDirectory) else { return [] }
        return bytes
    }

    @Test("It can be tapped once the owner has authenticated it")
    func tapped() async throws {
        let phone = EmulatedPhone(PhoneDefinition())
        let bench = Bench { $0.phone = phone }
        #expect(Array(directory(phone).suffix(2)) != [0x90, 0x00])
        #expect(try await bench.add(HandlerDelegate()).outcome == .added)
        #expect(Array(directory(phone).suffix(2)) == [0x6A, 0x82])
        phone.authenticatePayment()
        let answer = directory(phone)
        #expect(Array(answer.suffix(2)) == [0x90, 0x00])
        #expect(Hex.encode(answer).uppercased().contains("A0000000031010"))
    }

    @Test("A card for the watch lands in the watch")
    func watch() async throws {
        let (phone, watch) = (EmulatedPhone(PhoneDefinition()), EmulatedPhone(PhoneDefinition()))
        let bench = Bench { setup in
            (setup.phone, setup.watchPhone, setup.user.device) = (phone, watch, .watch)
            setup.watch = ProvisioningWallet.Watch()
        }
        #expect(try await bench.add(HandlerDelegate()).device == .watch)
        for device in [phone, watch] { device.authenticatePayment() }
        #expect(Array(directory(watch).suffix(2)) == [0x90, 0x00])
        #expect(Array(directory(phone).suffix(2)) != [0x90, 0x00])
    }

    @Test("A card that requires activation does not pay")
    func requiresActivation() async throws {
        let phone = EmulatedPhone(PhoneDefinition())
        let bench = Bench { ($0.phone, $0.wantsActivation) = (phone, true) }
        let record = try await bench.add(HandlerDelegate())
        #expect(record.pass?.activation == .requiresActivation)
        phone.authenticatePayment()
        #expect(Array(directory(phone).suffix(2)) != [0x90, 0x00])
    }
}
