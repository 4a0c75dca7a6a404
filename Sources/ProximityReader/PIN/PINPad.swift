// SPDX-License-Identifier: Apache-2.0

internal import WalletCrypto

/// What the counter asks of its PIN pad. See ``Counter/Configuration/pinPad``.
///
/// The digits stay with the pad: it gives them to ``entered(erasing:)``, which seals them for the provider and wipes
/// them, and hands back nothing but the sealed form. countertop's own.
public struct PINRequest: Sendable {
    /// Why a PIN is asked for.
    public enum Reason: Sendable, Hashable {
        /// The card wants one, in the middle of its read.
        case card
        /// The issuer wants one, after its read: ``PaymentCardReaderSession/capturePIN(using:cardReaderTransactionID:)``.
        case issuer
    }

    /// The read's identifier.
    public let transactionID: String
    /// Why.
    public let reason: Reason
    let seal: @Sendable (SecretBytes) throws -> [UInt8]

    init(transactionID: String, reason: Reason, seal: @escaping @Sendable (SecretBytes) throws -> [UInt8]) {
        (self.transactionID, self.reason, self.seal) = (transactionID, reason, seal)
    }

    /// Seals a PIN and overwrites the digits.
    ///
    /// - Parameter digits: 4 to 12 numbers from 0 to 9 (ISO 9564-1, 7.1), which are zero afterwards.
    /// - Returns: ``PINEntry/entered(_:)``; ``PINEntry/failed`` when these digits are no PIN.
    public func entered(erasing digits: inout [UInt8]) -> PINEntry {
        defer { for index in digits.indices { digits[index] = 0 } }
        guard let field = PINField.plain(digits), let sealed = try? seal(field) else { return .failed }
        return .entered(SealedPIN(bytes: sealed))
    }
}

/// What came of asking for a PIN.
public enum PINEntry: Sendable {
    /// One was entered. ``PINRequest/entered(erasing:)`` makes this.
    case entered(SealedPIN)
    /// The customer went on without one.
    case bypassed
    /// The customer or the merchant gave up.
    case cancelled
    /// Nothing was entered in time; how long that is, the pad knows.
    case timeout
    /// The pad failed.
    case failed
}

/// A PIN that only the provider can open.
public struct SealedPIN: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// Its length alone.
    public var description: String { "<sealed PIN, \(bytes.count) bytes>" }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The plain text PIN field of ISO 9564-1, 9.3.2.2 (format 4): 16 bytes.
enum PINField {
    static let count = 16

    /// Control nibble 4, the PIN's length, its digits, fill nibbles A; then eight random bytes.
    static func plain(_ digits: [UInt8], random: (Int) -> [UInt8] = RandomBytes.generate) -> SecretBytes? {
        guard (4...12).contains(digits.count), digits.allSatisfy({ $0 <= 9 }) else { return nil }
        var field = [UInt8](repeating: 0xAA, count: 8)
        field[0] = 0x40 | UInt8(digits.count)
        for (index, digit) in digits.enumerated() {
            let place = 1 + index / 2
            field[place] = index % 2 == 0 ? digit << 4 | 0x0A : field[place] & 0xF0 | digit
        }
        field += random(8)
        defer { for index in field.indices { field[index] = 0 } }
        return SecretBytes(copying: field)
    }
}
