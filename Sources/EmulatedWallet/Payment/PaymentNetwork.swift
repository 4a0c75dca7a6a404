// SPDX-License-Identifier: Apache-2.0

/// The network of an emulated payment card, by the word in the wallet's file.
public enum PaymentNetwork: String, Hashable, Sendable, CaseIterable {
    /// Kernel 3, qVSDC.
    case visa
    /// Kernel 2, M/Chip.
    case mastercard
    /// Kernel 4, Expresspay.
    case amex
    /// Kernel 6, D-PAS.
    case discover
    /// Kernel 7, qPBOC.
    case unionpay
    /// Interac Flash.
    case interac
    /// Kernel 5, J/Speedy.
    case jcb
}

extension PaymentNetwork {
    /// The application's name as the directory lists it.
    public var applicationIdentifier: [UInt8] { profile.aid }
    /// The registered application provider: the first five bytes of ``applicationIdentifier``.
    public var provider: [UInt8] { Array(profile.aid.prefix(5)) }

    var profile: NetworkProfile { NetworkProfile.all[self] ?? .visa }
}

/// Where a card is: in a phone, or of its own.
enum CardForm: Hashable, Sendable {
    case phone, plastic
}
