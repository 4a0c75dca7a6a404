// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a pass handed to the counter, decrypted.
public struct VASPayload: Hashable, Sendable {
    /// The pass type it was asked for and opened as.
    public let passTypeIdentifier: String
    /// The key that opened it.
    public let keyID: VASKeyID
    /// How the key was derived: 1 on every phone seen, 2 for the other form that readers know.
    public let method: Int
    /// The phone's clock when it made the payload, whole seconds. On the wire: unsigned seconds since
    /// 2001-01-01T00:00:00Z, so dates go to 2137.
    public let timestamp: Date
    /// The pass's `nfc.message`, any bytes; phones send at most ``messageLimit``, more is taken.
    public let message: [UInt8]

    /// The longest `nfc.message` that a pass can have, in bytes (Apple documentation, Wallet, Pass.NFC).
    public static let messageLimit = 64

    /// The message as text, or nil when it is not UTF-8.
    public var messageText: String? { String(validating: message, as: UTF8.self) }

    init(passTypeIdentifier: String, keyID: VASKeyID, method: Int, plaintext: [UInt8]) {
        (self.passTypeIdentifier, self.keyID, self.method) = (passTypeIdentifier, keyID, method)
        let seconds = plaintext.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        timestamp = Date(timeIntervalSinceReferenceDate: TimeInterval(seconds))
        message = Array(plaintext.dropFirst(4))
    }
}

/// Why pass data could not be opened. It keeps the data, so that it can be opened later with the right key.
///
/// Compare ``code``; the texts are for people.
public struct VASPayloadFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Fewer than 56 bytes.
        public static let tooShort = Code(rawValue: "tooShort")
        /// No key with the payload's key id; no cryptography was tried.
        public static let unknownKey = Code(rawValue: "unknownKey")
        /// There is a key, but not at this date; no cryptography was tried.
        public static let keyNotValid = Code(rawValue: "keyNotValid")
        /// The phone's one-time key is no point of P-256.
        public static let invalidEphemeralKey = Code(rawValue: "invalidEphemeralKey")
        /// The tag does not verify: changed data, another pass type, or another key with the same id.
        public static let authenticationFailed = Code(rawValue: "authenticationFailed")
        /// The crypto library failed; not the payload's fault.
        public static let internalFailure = Code(rawValue: "internalFailure")
    }

    /// What happened.
    public let code: Code
    /// What happened, in words; neither keys nor data in it.
    public let reason: String
    /// What the person can do about it, if anything.
    public let hint: String?
    /// The key id in the payload, when it is long enough to have one.
    public let keyID: VASKeyID?
    /// The ids of the keys that were there to choose from, for `unknownKey`.
    public let knownKeyIDs: [VASKeyID]
    /// The whole value of tag 9F27, still encrypted.
    public let cryptogram: [UInt8]

    init(
        _ code: Code, reason: String, hint: String? = nil, known: [VASKeyID] = [], cryptogram: [UInt8]
    ) {
        (self.code, self.reason, self.hint, knownKeyIDs) = (code, reason, hint, known)
        keyID = cryptogram.count >= 4 ? VASKeyID(cryptogram) : nil
        self.cryptogram = cryptogram
    }

    /// The reason.
    public var description: String { reason }
}
