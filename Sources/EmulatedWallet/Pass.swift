// SPDX-License-Identifier: Apache-2.0

import Foundation
public import WalletCrypto

extension PhoneDefinition {
    /// A pass in the wallet, in pass.json's own words.
    public struct Pass: Hashable, Sendable {
        /// `passTypeIdentifier`, such as `pass.com.example.club`.
        public var passTypeIdentifier: String
        /// `serialNumber`, by which passes of one type are told apart.
        public var serialNumber: String?
        /// `nfc`; a pass without it is in the wallet, but no reader finds it.
        public var nfc: NFC?

        /// A pass with these members.
        public init(passTypeIdentifier: String, serialNumber: String? = nil, nfc: NFC?) {
            (self.passTypeIdentifier, self.serialNumber, self.nfc) = (passTypeIdentifier, serialNumber, nfc)
        }

        /// Whether `name` is this pass's type identifier or serial number.
        func isNamed(_ name: String) -> Bool { name == passTypeIdentifier || name == serialNumber }
    }

    /// The NFC dictionary of a pass (Apple documentation, Pass.NFC).
    public struct NFC: Hashable, Sendable {
        /// `message`: what the reader gets. Sent as UTF-8, cut at 64 bytes as the phone does it.
        public var message: String
        /// `encryptionPublicKey`: the key that payloads are sealed to; in JSON the Base64 text of an X.509
        /// SubjectPublicKeyInfo on P-256.
        public var encryptionPublicKey: P256PublicKey
        /// `requiresAuthentication`: handed out only after the owner authenticated for it.
        public var requiresAuthentication: Bool

        /// A dictionary with these members.
        public init(message: String, encryptionPublicKey: P256PublicKey, requiresAuthentication: Bool = false) {
            (self.message, self.encryptionPublicKey) = (message, encryptionPublicKey)
            self.requiresAuthentication = requiresAuthentication
        }

        /// The most bytes of ``message`` that go to a reader (Apple documentation, Pass.NFC).
        public static let maximumMessageBytes = 64

        /// The message as it is sealed: at most 64 bytes, cut between characters' code points so that it stays UTF-8.
        public var messageBytes: [UInt8] {
            let bytes = Array(message.utf8)
            guard bytes.count > Self.maximumMessageBytes else { return bytes }
            var end = Self.maximumMessageBytes
            while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            return Array(bytes[..<end])
        }

        /// The key that pass.json's text spells.
        ///
        /// - Throws: ``WalletError`` with code `invalidValue` and a hint about what the text is instead.
        public static func publicKey(base64 text: String) throws(WalletError) -> P256PublicKey {
            func failure(_ reason: String, _ hint: String? = nil) -> WalletError {
                WalletError(.invalidValue, "encryptionPublicKey \(reason)", hint: hint)
            }
            if text.contains("PRIVATE KEY") {
                throw failure("is a private key", "it must never be in a pass: `countertop key show` prints the public")
            }
            if text.contains("-----BEGIN") {
                throw failure("is PEM text", "keep only the Base64 between the BEGIN and END lines, on one line")
            }
            guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters), !data.isEmpty else {
                throw failure("is not Base64")
            }
            do {
                return try P256PublicKey(subjectPublicKeyInfo: Array(data))
            } catch {
                let isPoint = data.count == 33 || data.count == 65
                throw failure(
                    isPoint ? "is a bare point" : "is no P-256 key in X.509 SubjectPublicKeyInfo form",
                    "Base64 of the DER that `openssl ec -pubout -conv_form compressed -outform der` writes")
            }
        }
    }
}
