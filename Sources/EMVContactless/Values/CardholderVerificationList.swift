// SPDX-License-Identifier: Apache-2.0

/// The card's CVM list, tag 8E (EMV Book 3, 10.5 and Annex C3).
public struct CardholderVerificationList: Hashable, Sendable {
    /// One rule: which method, when, and what happens if it does not work.
    public struct Rule: Hashable, Sendable {
        /// The CVM code: bit 7 allows the next rule, bits 6 to 1 name the method.
        public let code: UInt8
        /// The condition code.
        public let condition: UInt8

        /// A rule from its two bytes.
        public init(code: UInt8, condition: UInt8) { (self.code, self.condition) = (code, condition) }

        /// The method, bits 6 to 1 of the code.
        public var method: UInt8 { code & 0x3F }
        /// Whether the next rule applies when this one does not succeed (bit 7).
        public var continuesOnFailure: Bool { code & 0x40 != 0 }

        /// `Signature, if terminal supports the CVM, else next`.
        public var words: String {
            let method = Self.methods[method] ?? "RFU method"
            let condition = Self.conditions[condition] ?? "RFU condition"
            return "\(method), \(condition), \(continuesOnFailure ? "else next" : "else fail")"
        }

        /// EMV Book 3, table 43.
        static let methods: [UInt8: String] = [
            0x00: "Fail CVM processing", 0x01: "Plaintext PIN verified by the card",
            0x02: "Enciphered PIN verified online", 0x03: "Plaintext PIN verified by the card and signature",
            0x04: "Enciphered PIN verified by the card", 0x05: "Enciphered PIN verified by the card and signature",
            0x1E: "Signature", 0x1F: "No CVM required",
        ]

        /// EMV Book 3, table 44.
        static let conditions: [UInt8: String] = [
            0x00: "always", 0x01: "if unattended cash",
            0x02: "if not unattended cash, not manual cash and not purchase with cashback",
            0x03: "if terminal supports the CVM", 0x04: "if manual cash", 0x05: "if purchase with cashback",
            0x06: "if in application currency and under X", 0x07: "if in application currency and over X",
            0x08: "if in application currency and under Y", 0x09: "if in application currency and over Y",
        ]
    }

    /// Amount X in minor units of the application currency.
    public let amountX: UInt32
    /// Amount Y in minor units of the application currency.
    public let amountY: UInt32
    /// The rules in order, one or more.
    public let rules: [Rule]

    /// Reads the value of tag 8E: two amounts of four bytes and at least one rule of two bytes.
    public init(_ bytes: some Collection<UInt8>) throws(EMVError) {
        let bytes = Array(bytes)
        guard bytes.count >= 10, bytes.count.isMultiple(of: 2) else {
            throw EMVError(.malformedCardData, "a CVM list has \(bytes.count) bytes, not 10, 12, ...")
        }
        amountX = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        amountY = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        rules = stride(from: 8, to: bytes.count, by: 2).map { Rule(code: bytes[$0], condition: bytes[$0 + 1]) }
    }
}
