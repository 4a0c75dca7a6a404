// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// What status words mean to a payment reader.
enum PaymentStatus {
    /// Words whose meaning in a payment goes beyond ISO/IEC 7816-4 (EMV Contactless Book B, 3.3.2 and 3.3.3; Book C-2,
    /// S3; Book C-3, 5.2.2).
    static let table: [UInt16: String] = [
        0x6283: "the application is blocked: the next one is tried",
        0x6984: "use another interface: insert the card",
        0x6985: "conditions of use not satisfied: the next application is tried, or the card is locked",
        0x6986: "the owner must look at the phone, then tap again",
        0x6A81: "function not supported: the application or the card is blocked",
        0x6A82: "no payment card, or no such application",
        0x6A83: "the record does not exist",
        0x6A88: "this data is not there",
    ]

    /// Nil where the general meaning is all there is.
    static func meaning(of status: StatusWord) -> String? { table[status.rawValue] }
}
