// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import BERTLV
internal import CounterServer
internal import EMVContactless
internal import ISO7816

/// The only way to see an account number: with this option, and only of a published test card.
struct TestCardsOnlyOption: ParsableArguments {
    @Flag(
        help: """
            Show account numbers and tracks. Refused (status 77) unless every card in the data is a published test card.
            """)
    var testCardsOnly = false

    /// The mask for these objects.
    ///
    /// - Throws: `ToolError` with status 77 when the option is given and the objects hold anything but test cards.
    func mask(for objects: [TLV]) throws(ToolError) -> CardholderMask {
        guard testCardsOnly else { return .on }
        let cards = objects.filter { CardholderMask.withAccountNumber.contains($0.tag) && !$0.value.isEmpty }
            .filter { !($0.tag == 0x9F6B && $0.value.count == 6) }
        for card in cards {
            guard let pan = Self.accountNumber(card), TestCards.contains(pan: pan) else {
                throw ToolError(
                    .refused, code: "notATestCard", "tag \(card.tag) is not of a published test card: it is not shown",
                    hint: "leave --test-cards-only out; the first six and last four digits are shown without it")
            }
        }
        // Names and discretionary data are a test card's only beside its number.
        return CardholderMask(isOff: !cards.isEmpty)
    }

    /// Whether a number may be shown in full.
    ///
    /// - Throws: `ToolError` with status 77 when the option is given and the number is not of a published test card.
    func shows(pan: String?) throws(ToolError) -> Bool {
        guard testCardsOnly else { return false }
        guard let pan, TestCards.contains(pan: pan) else {
            throw ToolError(
                .refused, code: "notATestCard", "the card is not a published test card: it is not shown",
                hint: "leave --test-cards-only out; the first six and last four digits are shown without it")
        }
        return true
    }

    private static func accountNumber(_ object: TLV) -> String? {
        switch object.tag {
        case 0x5A: AccountNumber.digits(object.value)
        case 0x56: (try? Track1(object.value))?.pan
        default: (try? Track2(object.value))?.pan
        }
    }
}
