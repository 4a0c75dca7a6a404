// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import WalletCrypto

/// What the wallets answer to SELECT `OSE.VAS.01` (file control information, ISO/IEC 7816-4, 7.4.3).
enum WalletTemplate {
    /// Apple's: version, nonce, capabilities (kormax/apple-vas README).
    static func applePay(version: [UInt8], nonce: [UInt8], capabilities: [UInt8]) -> [UInt8] {
        TLVBuilder.build {
            $0.append(0x6F) {
                $0.append(0x50, WalletKind.applePay.rawValue.utf8)
                $0.append(0x9F21, version)
                $0.append(0x9F24, nonce)
                $0.append(0x9F23, capabilities)
            }
        }
    }

    /// Google's: version, flags, nonce, ephemeral key and a directory entry (kormax/google-smart-tap README).
    static func androidPay(nonce: [UInt8], key: [UInt8]) -> [UInt8] {
        TLVBuilder.build {
            $0.append(0x6F) {
                $0.append(0x50, WalletKind.androidPay.rawValue.utf8)
                $0.append(0xC0, [0x00, 0x01] as [UInt8])
                $0.append(0xC1, [0xCC, 0, 0, 0, 0, 0, 0x80, 0x80] as [UInt8])
                $0.append(0xC2, nonce)
                $0.append(0xC3, key)
                $0.append(0xA5) { $0.append(0xBF0C) { $0.append(0x61) { smartTapEntry(nonce, &$0) } } }
            }
        }
    }

    private static func smartTapEntry(_ nonce: [UInt8], _ builder: inout TLVBuilder) {
        // The Smart Tap 2 application (kormax/google-smart-tap README).
        builder.append(0x4F, [0xA0, 0x00, 0x00, 0x04, 0x76, 0xD0, 0x00, 0x01, 0x11] as [UInt8])
        builder.append(0x87, [0x01] as [UInt8])
        builder.append(0x73) {
            $0.append(0xDF6D, [0x00, 0x00] as [UInt8])
            $0.append(0xDF4D, [0x00, 0x01] as [UInt8])
            $0.append(0xDF62, [0x00] as [UInt8])
            $0.append(0xDF6E, nonce)
        }
    }

    /// Samsung's: only the label is known (proxmark3 `cmdhfvas.c`).
    static func samsungWallet() -> [UInt8] {
        TLVBuilder.build { $0.append(0x6F) { $0.append(0x50, WalletKind.samsungWallet.rawValue.utf8) } }
    }

    /// Bytes that claim more than they hold.
    static let nonsense: [UInt8] = [0x6F, 0x7F, 0x50, 0x08, 0xFF, 0x00, 0xDE, 0xAD]
}

extension AnswerShape {
    /// The template of a pass: mobile token and cryptogram (kormax/apple-vas README), in the shape asked for.
    func template(cryptogram: [UInt8]) -> [UInt8] {
        var objects = omitsMobileToken ? [] : [TLV(0x9F2A, mobileToken)]
        objects.insert(TLV(0x9F27, cryptogram), at: cryptogramFirst ? 0 : objects.count)
        let contents =
            TLVBuilder.build { builder in
                for object in objects { builder.append(object.tag, object.value) }
            } + unknownTags
        guard longFormLength else { return TLVBuilder.build { $0.append(0x70, contents) } }
        let count = contents.count
        let length: [UInt8] =
            count < 256
            ? [0x81, UInt8(truncatingIfNeeded: count)]
            : [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        return [0x70] + length + contents
    }
}
