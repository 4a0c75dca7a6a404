// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ISO7816

/// Why a tap, or a pass in it, brought nothing: in a sentence, with the fix.
public struct TapReason: Hashable, Sendable {
    /// A stable word for scripts: `locked`, `notPresent`, `torn`, ….
    public let code: String
    /// What happened, in one sentence without a full stop.
    public let text: String
    /// What to do about it; nil where nobody can do anything.
    public var hint: String? { Self.hint(for: code) }

    /// A reason from its parts.
    public init(_ code: String, _ text: String) { (self.code, self.text) = (code, text) }

    /// What to do about a reason that was kept by its code.
    public static func hint(for code: String) -> String? { table.first { $0.code == code }?.hint }

    /// A reason with the text of the table.
    init(known code: String) { self.init(code, Self.table.first { $0.code == code }?.text ?? code) }

    private typealias Row = (code: String, text: String, hint: String?)

    /// Every code that this counter gives by itself.
    private static let table: [Row] = [
        (
            "locked", "the phone kept the pass back: it is locked, or handed the pass out before (6287)",
            "unlock the phone with Face ID, Touch ID or passcode, and hold it to the reader again"
        ),
        (
            "notPresent", "the phone has no such pass, or another one is on its screen (6A83)",
            "check that the pass is in the wallet and that its pass type identifier is the one in the configuration; "
                + "choose the pass on the phone's screen"
        ),
        (
            "userActionNeeded", "several passes fit, and the customer has to choose one (6984)",
            "choose the pass on the phone's screen and tap again"
        ),
        ("refused", "the phone refused the question for the pass", "the trace has the question and the status word"),
        (
            "noPassData", "the phone answered with success and handed out nothing",
            "tap again; if it stays so, the trace shows the answer"
        ),
        ("torn", "the phone left the field before the read was over", "hold the phone still until the reader is done"),
        ("noWallet", "the card is no wallet", "hold a phone with Wallet to the reader, not a card"),
        ("otherWallet", "the wallet is not Apple's", "only Apple Wallet passes can be read"),
        ("malformed", "the answers are not those of the protocol", "the trace shows the answer that does not fit"),
        ("readerFailed", "the reader failed in the middle of the tap", "`countertop doctor` looks for the cause"),
        (
            "unknownKey", "there is no private key here for the pass's key id",
            "name the key's file in this [[pass]] (`key`, or one more in `keys`) and send SIGHUP: the pass is kept until then"
        ),
        (
            "keyNotValid", "the key is there, but not valid at the time of the read",
            "check the key's validity dates and the clock"
        ),
        (
            "authenticationFailed", "the pass data does not verify with the key it names",
            "check that the key belongs to this pass type; the data may have been changed on the way"
        ),
        ("invalidEphemeralKey", "the phone's one-time key is no point of P-256", nil),
        ("tooShort", "the pass data is too short to be a cryptogram", nil),
        ("declined", "the card declined", "take another card"),
        ("paymentFailed", "no payment came of the card", "the trace shows how far the card went"),
        (
            "notKept", "the read could not be written to the outbox",
            "look at disk space and permissions of the state directory"
        ),
    ]

    /// Why one pass was not handed out, from its status word (kormax/apple-vas README); nil for success.
    static func pass(_ status: StatusWord) -> TapReason? {
        switch status {
        case .success: nil
        case VASStatus.notActivated.statusWord: TapReason(known: "locked")
        case VASStatus.noPass.statusWord: TapReason(known: "notPresent")
        case VASStatus.userActionNeeded.statusWord: TapReason(known: "userActionNeeded")
        default: TapReason("refused", "the phone refused the question for the pass: \(VASStatus(status))")
        }
    }

    /// Every code in the table, for tests and pages.
    static var codes: [String] { table.map(\.code) }
}
