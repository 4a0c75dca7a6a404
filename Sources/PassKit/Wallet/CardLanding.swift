// SPDX-License-Identifier: Apache-2.0

package import EmulatedWallet
internal import ISO7816

/// How a provisioned card becomes one that can be tapped.
extension ProvisioningWallet {
    /// Networks by Apple's name of them (``PKPaymentNetwork``).
    private static let networks: [PKPaymentNetwork: PaymentNetwork] = [
        .visa: .visa, .masterCard: .mastercard, .amex: .amex, .discover: .discover, .chinaUnionPay: .unionpay,
        .interac: .interac, .JCB: .jcb,
    ]

    /// Networks by the first digits of the number, when the sheet named none: the issuer identification numbers that the
    /// networks publish.
    private static let prefixes: [(ClosedRange<Int>, PaymentNetwork)] = [
        (4000...4999, .visa), (5100...5599, .mastercard), (2221...2720, .mastercard), (3400...3499, .amex),
        (3700...3799, .amex), (6011...6011, .discover), (6440...6599, .discover), (6200...6299, .unionpay),
        (3528...3589, .jcb),
    ]

    /// Puts a card into an emulated phone, to be authenticated by its owner before it pays.
    func land(_ card: ProvisionedCard, on phone: EmulatedPhone?) {
        guard let phone, !card.requiresActivation, var payment = Self.paymentCard(for: card) else { return }
        payment.armed = false
        phone.add(paymentCard: payment)
    }

    /// The emulated card for a provisioned one; nil when its network is not known. The number is kept if it is a
    /// published test number; any other one stays out of emulated cards, and the network's own test card stands in.
    package static func paymentCard(for card: ProvisionedCard) -> PaymentCard? {
        guard let network = network(of: card) else { return nil }
        var payment = PaymentCard(network)
        if let number = card.primaryAccountNumber, TestCards.contains(pan: number) { payment.pan = number }
        if let month = month(card.expiration) { payment.expiry = month }
        return payment
    }

    static func network(of card: ProvisionedCard) -> PaymentNetwork? {
        if let name = card.network, let network = networks[PKPaymentNetwork(rawValue: name)] { return network }
        return card.primaryAccountNumber.flatMap { emulatedNetwork(ofNumber: $0) }
    }

    private static func emulatedNetwork(ofNumber number: String) -> PaymentNetwork? {
        guard let first = Int(number.prefix(4)) else { return nil }
        return prefixes.first { $0.0.contains(first) }?.1
    }

    /// The network that a number belongs to by its first digits, by Apple's name of it.
    package static func network(ofNumber number: String) -> PKPaymentNetwork? {
        guard let network = emulatedNetwork(ofNumber: number) else { return nil }
        return networks.first { $0.value == network }?.key
    }

    /// A network by Apple's name or by that of a wallet's file, in any case.
    package static func network(named name: String) -> PKPaymentNetwork? {
        let name = name.lowercased()
        return networks.first { $0.key.rawValue.lowercased() == name || $0.value.rawValue == name }?.key
    }

    /// `MM/YY` in this century.
    static func month(_ text: String?) -> CardMonth? {
        let parts = (text ?? "").split(separator: "/").compactMap { Int($0) }
        guard parts.count == 2, (1...12).contains(parts[0]), (0...49).contains(parts[1]) else { return nil }
        return CardMonth(year: 2000 + parts[1], month: parts[0])
    }
}
