// SPDX-License-Identifier: Apache-2.0

public import EMVContactless
internal import WalletCrypto

/// What a counter reads payment cards with, and whom it seals them for.
///
/// It is a test counter: what it brings is a read, a request for an online authorisation, never an approval.
public struct PaymentSetup: Sendable {
    /// Whose key reads are sealed to. Without one they are sealed to a key that is made for the counter and whose
    /// private half nobody has: an app works, but nobody can open the result.
    public var provider: ProviderKey?
    /// The merchant that reads are bound to; nil takes the token's.
    public var merchantID: String?
    /// The reader that reads are bound to; nil takes `PaymentCardReader.readerIdentifier`.
    public var readerID: String?
    /// Refuses every card whose number is not a published test number, with `cardNotSupported`.
    public var testCardsOnly = false
    /// Terminal, applications with their limits, kernels, authority keys.
    public var configuration: EMVConfiguration
    /// Whether an emulated card's authority keys are added when the reader is emulated. On by default.
    public var trustsEmulatedCards = true
    /// Makes the four bytes of 9F37, new for each tap.
    public var unpredictableNumber: @Sendable () -> [UInt8]

    /// A set-up for test cards: every application that there is a kernel for, without limits, in Germany (276).
    public init(provider: ProviderKey? = nil, country: UInt16 = 276) {
        self.provider = provider
        configuration = EMVConfiguration(
            terminal: TerminalProfile(country: country), combinations: Combination.standard())
        unpredictableNumber = { RandomBytes.generate(4) }
    }

    /// The counter's country, ISO 3166 number.
    public var country: UInt16 {
        get { configuration.terminal.country }
        set { configuration.terminal.country = newValue }
    }

    /// Keys of certification authorities, for offline data authentication.
    public var authorityKeys: AuthorityKeys {
        get { configuration.authorities }
        set { configuration.authorities = newValue }
    }

    /// The applications that are taken, with kernels and limits.
    public var combinations: [Combination] {
        get { configuration.combinations }
        set { configuration.combinations = newValue }
    }

    /// Sets the same limits for every application, in minor units; nil is no limit.
    ///
    /// - Parameters:
    ///   - transaction: an amount of this or more is not read at all.
    ///   - verification: an amount of this or more needs the cardholder's verification.
    public mutating func setLimits(transaction: UInt64?, verification: UInt64?) {
        for index in combinations.indices {
            combinations[index].transactionLimit = transaction
            combinations[index].cvmLimit = verification
        }
    }
}
