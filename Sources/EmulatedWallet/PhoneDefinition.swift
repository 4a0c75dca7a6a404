// SPDX-License-Identifier: Apache-2.0

/// A phone with its passes, as a small JSON file defines it; every key may be left out.
///
/// ```json
/// {
///   "locked": false,
///   "passes": [
///     {
///       "passTypeIdentifier": "pass.com.example.club",
///       "nfc": {"message": "M-0042", "encryptionPublicKey": "MDkwEwYH…", "requiresAuthentication": false}
///     }
///   ]
/// }
/// ```
///
/// Passes are written in pass.json's own words; the standard keys of pass.json that mean nothing at a reader are taken
/// and ignored. Unknown keys are refused by name. The document of a single pass (a pass.json) is taken too.
/// Each property below is the key of the same name.
public struct PhoneDefinition: Hashable, Sendable {
    /// `wallet`: who answers under the shared AID `OSE.VAS.01`.
    public var wallet = WalletKind.applePay
    /// `passes`: what is in the wallet, in order. Several passes of one type are several candidates for a reader.
    public var passes: [Pass] = []

    /// `locked`: nobody has authenticated; every pass that matches answers `6287`.
    public var locked = false
    /// `authenticated`: whether the owner has authenticated for passes that demand it
    /// (`requiresAuthentication`); left out, an unlocked phone has. On an unlocked phone with `false`, only passes that
    /// do not demand it are handed out.
    public var authenticated: Bool?
    /// `unlocksAtTap`: the owner of a locked phone authenticates before this tap, counted from 1. A tap counts
    /// when its first command comes.
    public var unlocksAtTap: Int?
    /// `tapAuthenticates`: whether leaving the field and coming back counts as a new authentication on an
    /// unlocked phone, so that the same pass can be read at each tap. With `false` a pass that was handed out answers
    /// `6287` until the phone authenticates again.
    public var tapAuthenticates = true
    /// `paymentAuthenticated`: the owner has double-clicked and authenticated a payment card
    /// (capabilities `3E`, otherwise `1E`). With a ``paymentCard`` this is the card's `armed`.
    public var paymentAuthenticated: Bool {
        get { paymentCard?.armed ?? isArmedWithoutCard }
        set { if paymentCard == nil { isArmedWithoutCard = newValue } else { paymentCard?.armed = newValue } }
    }
    private var isArmedWithoutCard = false
    /// `paymentCard`: the phone pays with it.
    public var paymentCard: PaymentCard?
    /// `plastic`: not a phone at all but this card. The document then has no other keys but those of faults
    /// (`answerDelay`, `leavesFieldAt`, `leavesFieldTaps`, `silentAt`, `answer`).
    public var plastic: PaymentCard?
    /// `onePassPerTap`: hand out one pass per tap only, unless a payment card is authenticated, whatever mode the
    /// reader declares (as kormax/android-universal-reader observed). Off, so that several merchants can be tested.
    public var onePassPerTap = false
    /// `chosenPass`: the pass on screen, by pass type identifier or serial number; every other pass answers `6A83`.
    public var chosenPass: String?
    /// `alreadyRead`: passes handed out before in this authentication, by pass type identifier or serial number.
    public var alreadyRead: [String] = []
    /// `receivedURLs`: the inbox of pushed sign-up URLs, oldest first.
    public var receivedURLs: [String] = []

    /// `applicationVersion`: tag 9F21, two bytes of hex. GET VAS DATA must ask for the same version.
    public var applicationVersion: [UInt8] = [0x01, 0x00]
    /// `mobileCapabilities`: tag 9F23, four bytes of hex, instead of what the state says.
    public var mobileCapabilities: [UInt8]?
    /// `cryptoMethod`: how payloads are sealed, 1 or 2.
    public var cryptoMethod = SealingMethod.method1

    /// `answerDelay`: milliseconds before each answer, 0 to 600,000.
    public var answerDelay = 0
    /// `leavesFieldAt`: the command, counted from 1 in each tap, that finds the phone gone. It is not carried out.
    public var leavesFieldAt: Int?
    /// `leavesFieldTaps`: how many taps end that way; left out, each one does.
    public var leavesFieldTaps: Int?
    /// `silentAt`: the command, counted from 1 in each tap, that is never answered.
    public var silentAt: Int?
    /// `answer`: odd but legal shapes of answers.
    public var answer = AnswerShape()
    /// `statusWords`: status words to answer, whatever the state.
    public var statusWords = ForcedStatusWords()

    /// An unlocked phone with these passes.
    public init(passes: [Pass] = []) { self.passes = passes }

    /// A plastic card.
    public init(plastic: PaymentCard) { self.plastic = plastic }
}

/// Who answers under the AID `OSE.VAS.01`, by the value of tag 50.
public enum WalletKind: String, Hashable, Sendable, CaseIterable {
    /// Apple VAS (kormax/apple-vas README).
    case applePay = "ApplePay"
    /// Google Smart Tap: the selection answer only (kormax/google-smart-tap README); GET VAS DATA is unknown to it.
    case androidPay = "AndroidPay"
    /// Samsung Wallet: the selection answer only (proxmark3 `cmdhfvas.c`).
    case samsungWallet = "SamsungWallet"
    /// No wallet: `6A82`, as plain cards answer.
    case none = "none"
    /// Success, with bytes that are no template at all.
    case nonsense = "nonsense"
}

/// How a payload is sealed: both are in the field's readers, only the first in public captures
/// (proxmark3 `cmdhfvas.c`).
public enum SealingMethod: Int, Hashable, Sendable, CaseIterable {
    /// Algorithm, party and merchant hash in the key derivation, nothing as associated data.
    case method1 = 1
    /// Party in the key derivation, merchant hash as associated data.
    case method2 = 2
}

/// Odd but legal shapes of answers: the object under the key `answer`.
public struct AnswerShape: Hashable, Sendable {
    /// `urlOnlyBody`: the data of a successful URL-only answer, hex. Seen nowhere; `""`, `7000` and `70039F2A00` are
    /// what readers should take.
    public var urlOnlyBody: [UInt8] = []
    /// `mobileToken`: the value of tag 9F2A, hex, 0 to 255 bytes. Real answers have it empty.
    public var mobileToken: [UInt8] = []
    /// `omitsMobileToken`: leave tag 9F2A out altogether.
    public var omitsMobileToken = false
    /// `cryptogramFirst`: 9F27 before 9F2A.
    public var cryptogramFirst = false
    /// `longFormLength`: the template's length as `81 xx` (or `82 xxxx`) even when one byte would do.
    public var longFormLength = false
    /// `unknownTags`: whole objects, hex, put after the known ones inside the template.
    public var unknownTags: [UInt8] = []
    /// `chunkSize`: at most this many data bytes per answer; the rest by `61xx` and GET RESPONSE (ISO 7816-4, 5.3.4).
    public var chunkSize: Int?
    /// `wantsExactLe`: an Le that is not the exact length, or none, answers `6Cxx` (ISO 7816-4, 5.6).
    public var wantsExactLe = false

    /// What a real phone does.
    public init() {}
}
