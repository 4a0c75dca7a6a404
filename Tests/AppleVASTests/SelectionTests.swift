// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import ISO7816
import Testing

@testable import AppleVAS

@Suite("SELECT OSE.VAS.01")
struct SelectionTests {
    private func selection(_ hex: String) throws -> VASSelection { VASSelection(data: try Hex.decode(hex)) }
    private let name = "50084170706C65506179"

    @Test("Apple's answer gives name, version, nonce and capabilities")
    func apple() {
        let selection = VASSelection(data: Sample.fci)
        #expect(selection.isApple)
        #expect(selection.wallet == .applePay)
        #expect(selection.applicationVersion == [1, 0])
        #expect(selection.deviceNonce == [1, 2, 3, 4])
        #expect(selection.capabilities?.bytes == [0, 0, 0, 0x1E])
        #expect(selection.oddities.isEmpty)
        #expect(selection.otherObjects.isEmpty)
        #expect(selection.data == Sample.fci)
    }

    @Test("the capability bits, idle and with a payment card authenticated")
    func capabilities() {
        let idle = VASDeviceCapabilities([0, 0, 0, 0x1E])
        #expect(!idle.paymentReady && idle.paymentSkippable && idle.vasSupported && idle.vasSkippable)
        #expect(idle.encryptedData && !idle.plaintextData)
        #expect(VASDeviceCapabilities([0, 0, 0, 0x3E]).paymentReady)
        #expect(VASDeviceCapabilities([0, 0, 0, 0x01]).plaintextData)
        #expect(!VASDeviceCapabilities([0x3E]).vasSupported)
    }

    @Test("order does not matter, unknown objects are kept, padding is skipped")
    func tolerance() throws {
        let selection = try selection("006F1C9F23040000003EDF0101AA0000\(name)9F2102010000")
        #expect(selection.isApple)
        #expect(selection.capabilities?.paymentReady == true)
        #expect(selection.deviceNonce == nil)
        #expect(selection.otherObjects == [TLV(0xDF01, [0xAA])])
        #expect(selection.oddities.isEmpty)
    }

    @Test(
        "what is unexpected is told, and the tap goes on",
        arguments: [
            ("6F1050084170706C655061799F220201009F21", [VASOddity.Code.malformed, .version, .capabilities]),
            ("6F1850084170706C655061799F210202009F23040000001E", [.malformed, .version]),
            ("6F1650084170706C655061799F210202009F23040000001E", [.version]),
            ("6F1650084170706C655061799F210201009F23040000000E", []),
            ("6F1650084170706C655061799F210201009F230400000016", [.capabilities]),
            ("6F1650084170706C655061799F210201009F23040100001E", [.capabilities]),
            ("6F1350084170706C655061799F210201009F23011E", [.capabilities]),
            ("50084170706C655061799F210201009F23040000001E", [.noTemplate]),
            ("6F0C9F210201009F23040000001E", [.noName]),
        ])
    func oddities(hex: String, expected: [VASOddity.Code]) throws {
        let selection = try selection(hex)
        #expect(selection.isApple)
        #expect(selection.oddities.map(\.code) == expected)
        #expect(selection.oddities.allSatisfy { !$0.text.isEmpty && $0.description == $0.text })
    }

    @Test(
        "other wallets are named, not misread",
        arguments: [
            (
                "6F1A500A416E64726F6964506179C0020001C208000102030405060708",
                "AndroidPay"
            ),
            ("6F0F500D53616D73756E6757616C6C6574", "SamsungWallet"),
            ("6F0950074E657750617931", "NewPay1"),
            ("6F10A50E500A416E64726F69645061798701", "AndroidPay"),
        ])
    func otherWallets(hex: String, name: String) throws {
        let selection = try selection(hex)
        #expect(!selection.isApple)
        #expect(selection.wallet?.rawValue == name)
        #expect(selection.oddities.allSatisfy { $0.code == .malformed })
    }

    @Test("wallets have product names; an unknown one keeps its own")
    func names() {
        #expect(VASWallet.applePay.description == "Apple Wallet")
        #expect(VASWallet.androidPay.description == "Google Wallet")
        #expect(VASWallet.samsungWallet.description == "Samsung Wallet")
        #expect(VASWallet(rawValue: "NewPay1").description == "NewPay1")
    }

    @Test("an answer without any data, or without a word of a wallet, is nobody's", arguments: ["", "6F00", "8401A0"])
    func nobody(hex: String) throws {
        let selection = try selection(hex)
        #expect(!selection.isApple)
        #expect(selection.wallet == nil)
        #expect(selection.oddities.contains { $0.code == .noName })
    }

    @Test("any bytes can be read")
    func neverTraps() {
        var random = SeededRandom(seed: 1)
        for round in 0..<20_000 {
            let bytes = round % 2 == 0 ? random.bytes(round % 64) : random.mutate(Sample.fci)
            #expect(VASSelection(data: bytes).data == bytes)
        }
    }
}
