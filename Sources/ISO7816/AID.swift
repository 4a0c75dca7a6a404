// SPDX-License-Identifier: Apache-2.0

/// An application identifier, or the part of one that a SELECT names: 1 to 16 bytes (ISO/IEC 7816-4, 12.2.3).
public struct AID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier.
    public let bytes: [UInt8]

    /// Takes 1 to 16 bytes.
    public init(_ bytes: [UInt8]) throws(APDUError) {
        guard (1...16).contains(bytes.count) else {
            throw APDUError(reason: "an AID has 1 to 16 bytes, not \(bytes.count)", offset: 0)
        }
        self.bytes = bytes
    }

    private init(ascii: StaticString) {
        bytes = ascii.withUTF8Buffer { Array($0.prefix(16)) }
    }

    /// `OSE.VAS.01` in ASCII: the value added services environment that Apple, Google and Samsung wallets share
    /// (kormax/apple-vas README; proxmark3 `cmdhfvas.c`).
    public static let valueAddedServices = AID(ascii: "OSE.VAS.01")

    /// `2PAY.SYS.DDF01` in ASCII: the proximity payment system environment (EMV Contactless Book B, 3.3.1).
    public static let proximityPaymentSystem = AID(ascii: "2PAY.SYS.DDF01")

    /// Upper-case hex.
    public var description: String { Hex.encode(bytes) }
}
