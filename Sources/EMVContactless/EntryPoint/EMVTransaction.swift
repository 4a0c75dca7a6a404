// SPDX-License-Identifier: Apache-2.0

public import BERTLV

/// What is to be read for: amount, kind and time of one transaction.
public struct EMVTransaction: Hashable, Sendable {
    /// Amount, authorised, in minor units: up to twelve digits.
    public var amount: UInt64
    /// Amount, other (cashback), in minor units.
    public var otherAmount: UInt64
    /// Transaction type, first two digits of ISO 8583's processing code: 00 purchase, 01 cash, 09 cashback, 20 refund.
    public var type: UInt8
    /// ISO 4217 number, 978.
    public var currency: UInt16
    /// Digits after the decimal point of ``currency``.
    public var currencyExponent: Int
    /// Local date and time.
    public var date: EMVDate
    /// Four bytes, new for each transaction.
    public var unpredictableNumber: [UInt8]

    /// A transaction.
    public init(
        amount: UInt64, otherAmount: UInt64 = 0, type: UInt8 = 0, currency: UInt16, currencyExponent: Int = 2,
        date: EMVDate, unpredictableNumber: [UInt8]
    ) {
        (self.amount, self.otherAmount, self.type) = (amount, otherAmount, type)
        (self.currency, self.currencyExponent) = (currency, currencyExponent)
        (self.date, self.unpredictableNumber) = (date, unpredictableNumber)
    }

    /// One unit of currency in minor units, which asks for a status check.
    var oneUnit: UInt64 { (0..<max(0, min(9, currencyExponent))).reduce(1) { unit, _ in unit * 10 } }

    var isCash: Bool { type == 0x01 }
    var isCashback: Bool { type == 0x09 }

    /// The objects that this transaction gives the card.
    var objects: [TLVTag: [UInt8]] {
        [
            0x9F02: BCD.bytes(amount, count: 6), 0x9F03: BCD.bytes(otherAmount, count: 6),
            0x81: Self.binary(amount), 0x9F04: Self.binary(otherAmount), 0x9C: [type],
            0x5F2A: BCD.bytes(UInt64(currency), count: 2), 0x5F36: [BCD.byte(currencyExponent)],
            0x9A: date.bcd, 0x9F21: date.time, 0x9F37: unpredictableNumber,
        ]
    }

    private static func binary(_ amount: UInt64) -> [UInt8] {
        let amount = UInt32(clamping: amount)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: amount >> $0) }
    }
}

/// What the reader is: country, type, capabilities (EMV Book 4, Annex A).
public struct TerminalProfile: Hashable, Sendable {
    /// ISO 3166 number, 276.
    public var country: UInt16
    /// Tag 9F35: 22 attended, online and offline; 21 online only; 25 unattended. Two decimal digits as BCD.
    public var type: UInt8
    /// Tag 9F33 when a CVM is required, three bytes.
    public var capabilities: [UInt8]
    /// Tag 9F33 byte 2 when no CVM is required (kernel 2, DF8119).
    public var capabilitiesWithoutCVM: UInt8
    /// Whether a device's own cardholder verification is accepted.
    public var acceptsOnDeviceVerification: Bool
    /// Whether a contact slot exists to send people to.
    public var hasContactSlot: Bool
    /// Terminal action codes, five bytes each (DF8121, DF8122).
    public var actionCodeDenial: [UInt8]
    /// See ``actionCodeDenial``.
    public var actionCodeOnline: [UInt8]
    /// Tag 9F1B in minor units: the floor limit where a combination has none.
    public var floorLimit: UInt64?
    /// Any other terminal object.
    public var data: [TLVTag: [UInt8]]

    /// An attended counter without a PIN pad and without a contact slot: no CVM but the device's own.
    ///
    /// - Parameter country: ISO 3166 number.
    public init(country: UInt16) {
        self.country = country
        (type, capabilities, capabilitiesWithoutCVM) = (0x22, [0x00, 0x08, 0xC8], 0x08)
        (acceptsOnDeviceVerification, hasContactSlot) = (true, false)
        actionCodeDenial = [0, 0, 0, 0, 0]
        actionCodeOnline = [0xF4, 0x50, 0x84, 0x80, 0x0C]
        data = [
            0x9F40: [0x60, 0x00, 0xF0, 0xA0, 0x01], 0x9F15: [0x00, 0x00], 0x9F1C: Array("00000001".utf8),
            0x9F1E: Array("00000001".utf8), 0x9F16: Array("COUNTERTOP     ".utf8), 0x9F4E: Array("countertop".utf8),
            0x9F7C: [UInt8](repeating: 0, count: 20), 0x9F53: [0x52], 0x9F39: [0x07],
            0x9F1D: [0x6C, 0, 0, 0, 0, 0, 0, 0],
        ]
    }

    var supportsOnlinePIN: Bool { capability(byte: 1, mask: 0x40) }
    var supportsSignature: Bool { capability(byte: 1, mask: 0x20) }

    private func capability(byte: Int, mask: UInt8) -> Bool {
        capabilities.indices.contains(byte) && capabilities[byte] & mask != 0
    }

    /// The objects that the terminal gives the card.
    var objects: [TLVTag: [UInt8]] {
        var objects = data
        objects[0x9F1A] = BCD.bytes(UInt64(country), count: 2)
        objects[0x9F35] = [type]
        objects[0x9F33] = capabilities
        if let floorLimit { objects[0x9F1B] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: floorLimit >> $0) } }
        return objects
    }
}
