// SPDX-License-Identifier: Apache-2.0

/// Account numbers that are published for tests and belong to nobody.
///
/// The only gate for showing or recording a full account number: whatever is not in this table is treated as a live
/// person's card.
public enum TestCards {
    /// One line of the table.
    struct Entry: Sendable {
        /// The number, or what it begins with.
        let digits: String
        /// How long the whole number is.
        let lengths: ClosedRange<Int>
        /// Where it is published.
        let source: String
    }

    /// Whether `digits` is a published test account number. Anything but 8 to 19 digits is not.
    public static func contains(pan digits: String) -> Bool {
        let count = digits.utf8.count
        guard (8...19).contains(count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return table.contains { $0.lengths.contains(count) && digits.utf8.starts(with: $0.digits.utf8) }
            || isFiller(digits)
    }

    /// What no issuer gives out: a wrong check digit after one digit over and over, or a first digit 0 (ISO/IEC 7812-1,
    /// 4.2: not for cards). UnionPay has live numbers without a check digit, so theirs never are filler.
    private static func isFiller(_ digits: String) -> Bool {
        if digits.utf8.first == 0x30 { return true }
        guard !AccountNumber.isLuhnValid(digits), let last = digits.utf8.last else { return false }
        return !digits.hasPrefix("62") && !digits.hasPrefix("81") && digits.utf8.suffix(8).allSatisfy { $0 == last }
    }
}

extension TestCards {
    private static func number(_ digits: String, _ source: String) -> Entry {
        Entry(digits: digits, lengths: digits.utf8.count...digits.utf8.count, source: source)
    }

    private static func range(_ digits: String, _ lengths: ClosedRange<Int> = 16...16, _ source: String) -> Entry {
        Entry(digits: digits, lengths: lengths, source: source)
    }

    private static let visaToolkit = "Visa acquirer device validation toolkit (ADVT, contactless CDET)"
    private static let mastercardToolkit = "Mastercard terminal integration process (M-TIP, PPC) test cards"
    private static let amexToolkit = "American Express AEIPS and Expresspay test cards"
    private static let gateways = "payment gateways' public lists of test numbers (Stripe, Adyen, Braintree, Worldpay)"
    private static let textbook = "digits in counting order, used by test suites and examples"

    /// Every number and range, with its source.
    static let table: [Entry] = [
        // Visa
        range("47617390", 16...16, visaToolkit),
        range("47617300", 16...16, visaToolkit),
        range("4999999999", 13...19, "EMV-NFC-Paycard-Enrollment's masked captures"),
        number("4111111111111111", gateways),
        number("4012888888881881", gateways),
        number("4012001037141112", gateways),
        number("4222222222222", gateways),
        number("4242424242424242", gateways),
        number("4000056655665556", gateways),
        range("400000000000", 16...16, gateways),
        number("4917610000000000", gateways),
        number("4444333322221111", gateways),
        // Mastercard
        range("541333", 16...16, mastercardToolkit),
        range("52042400", 16...16, mastercardToolkit),
        range("22230000", 16...16, mastercardToolkit),
        number("5555555555554444", gateways),
        number("5200828282828210", gateways),
        number("5105105105105100", gateways),
        number("5454545454545454", gateways),
        number("5500000000000004", gateways),
        number("2222400070000005", gateways),
        number("5123456789012346", gateways),
        number("5123456789012345", textbook),
        number("5411118888888882", "javaemvreader's simulated card"),
        number("5211111111111111", "EMV-NFC-Paycard-Enrollment's track tests"),
        number("5566887766556677", "EMV-NFC-Paycard-Enrollment's track tests"),
        number("5555556688776655667", "EMV-NFC-Paycard-Enrollment's track tests"),
        number("5599999999999999", "EMV-NFC-Paycard-Enrollment's masked captures"),
        // American Express
        range("37424500174100", 15...15, amexToolkit),
        range("37424545540000", 15...15, amexToolkit),
        number("378282246310005", gateways),
        number("371449635398431", gateways),
        number("378734493671000", gateways),
        number("374251018720018", gateways),
        // Discover, Diners
        range("65100000", 16...16, "Discover D-PAS test cards"),
        number("6011000990139424", gateways),
        number("6011111111111117", gateways),
        number("6011000000000012", gateways),
        number("30569309025904", gateways),
        number("38520000023237", gateways),
        number("36070500001020", gateways),
        number("36148900647913", gateways),
        // UnionPay
        range("6210948", 16...19, "UnionPay International test cards (TCK)"),
        range("62109400", 16...19, "UnionPay International test cards (TCK)"),
        range("625094", 16...19, "UnionPay International test cards (TCK)"),
        number("6200000000000005", gateways),
        number("6243030000000001", gateways),
        number("8171999927660000", gateways),
        // JCB
        range("35699900", 16...16, "JCB J/Speedy test cards; gateways' lists"),
        number("3566002020360505", gateways),
        number("3530111333300000", gateways),
        // Interac
        range("4506445", 16...16, "Interac Flash test cards"),
        // Numbers of examples: 1 is an airline's first digit, 9 a national one; no payment network has these
        range("12345600", 16...16, "emv-card-simulator's test issuer"),
        range("1234567890", 10...19, textbook),
        range("9901234567890", 16...16, textbook),
    ]
}
