// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EmulatedWallet

/// Other wallets under the same AID.
@Suite("Other wallets")
struct OtherWalletTests {
    @Test("each names itself in tag 50", arguments: [WalletKind.applePay, .androidPay, .samsungWallet])
    func label(kind: WalletKind) throws {
        let phone = EmulatedPhone(PhoneDefinition([]) { $0.wallet = kind })
        let response = try phone.tap()
        let template = try #require(try TLV.read(Array(response.data)).first(0x6F))
        #expect(try template.contents().first(0x50)?.bytes == Array(kind.rawValue.utf8))
        #expect(response.status == 0x9000)
    }

    @Test("Google's selection: nonce, key and the application it leads to; no GET VAS DATA")
    func androidPay() throws {
        let phone = EmulatedPhone(PhoneDefinition([]) { $0.wallet = .androidPay })
        let tree = try TLVTree.read(Array(phone.tap().data))
        let contents = tree[0].children.map(\.object)
        #expect(contents.map(\.tag) == [0x50, 0xC0, 0xC1, 0xC2, 0xC3, 0xA5])
        #expect(contents.first(0xC2)?.value.count == 32)
        #expect(contents.first(0xC3)?.value.count == 33)
        #expect(tree[0].children[5].children[0].children[0].children.first?.object.value.count == 9)
        #expect(try phone.send(VASRequest(merchantID: [UInt8](repeating: 0, count: 32)).bytes).status == 0x6D00)
    }

    @Test("no wallet, and nonsense")
    func none() throws {
        #expect(try EmulatedPhone(PhoneDefinition([]) { $0.wallet = .none }).tap().bytes == [0x6A, 0x82])
        let nonsense = try EmulatedPhone(PhoneDefinition([]) { $0.wallet = .nonsense }).tap()
        #expect(nonsense.status == 0x9000)
        #expect(throws: TLVError.self) { try TLV.read(Array(nonsense.data), rules: .lenient) }
    }
}
