// SPDX-License-Identifier: Apache-2.0

/// A wallet that answers to `OSE.VAS.01`, by the name it gives in tag 50. Open: an unknown name is kept.
public struct VASWallet: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The name as the wallet gives it.
    public let rawValue: String
    /// A wallet by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `ApplePay`: Apple VAS (kormax/apple-vas README).
    public static let applePay = VASWallet(rawValue: "ApplePay")
    /// `AndroidPay`: Google Smart Tap (kormax/google-smart-tap README).
    public static let androidPay = VASWallet(rawValue: "AndroidPay")
    /// `SamsungWallet` (proxmark3 `cmdhfvas.c`).
    public static let samsungWallet = VASWallet(rawValue: "SamsungWallet")

    /// The product's name where it is known, otherwise the name on the wire.
    public var description: String {
        switch self {
        case .applePay: "Apple Wallet"
        case .androidPay: "Google Wallet"
        case .samsungWallet: "Samsung Wallet"
        default: rawValue
        }
    }
}

/// Tag 9F23, four bytes: what the phone says it can do (bit names: proxmark3 `cmdhfvas.c`; `1E` and `3E` are the values
/// seen on phones, idle and with a payment card authenticated).
public struct VASDeviceCapabilities: Hashable, Sendable {
    /// The bytes as received, normally four.
    public let bytes: [UInt8]

    /// Takes any bytes; a value that is not four bytes long has no flag set.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func bit(_ mask: UInt8) -> Bool { bytes.count == 4 && bytes[3] & mask != 0 }

    /// Bit 6 of the last byte: a payment may be made, which means that the person has authenticated a card.
    public var paymentReady: Bool { bit(0x20) }
    /// Bit 5: the payment may be skipped.
    public var paymentSkippable: Bool { bit(0x10) }
    /// Bit 4: VAS may be performed.
    public var vasSupported: Bool { bit(0x08) }
    /// Bit 3: VAS may be skipped.
    public var vasSkippable: Bool { bit(0x04) }
    /// Bit 2: encrypted pass data.
    public var encryptedData: Bool { bit(0x02) }
    /// Bit 1: plaintext pass data; never seen set.
    public var plaintextData: Bool { bit(0x01) }
}
