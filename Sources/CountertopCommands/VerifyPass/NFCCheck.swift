// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import CounterServer
internal import EmulatedWallet
internal import Foundation
internal import WalletCrypto

/// The `nfc` dictionary of pass.json (Apple documentation, Wallet, Pass.NFC).
struct NFCCheck {
    let contents: PassContents
    let key: P256PrivateKey?

    /// The pass's key as far as it can be read.
    var publicKey: P256PublicKey? {
        contents.nfc?.encryptionPublicKey.flatMap { try? PhoneDefinition.NFC.publicKey(base64: $0) }
    }

    func run(_ list: inout CheckList) {
        guard let nfc = contents.nfc else {
            list.add(
                "nfc", .fail, "pass.json has no nfc dictionary: no reader can read this pass",
                fix: "add nfc with message and encryptionPublicKey; it needs Apple's NFC entitlement")
            for id in ["message", "encryptionPublicKey", "key"] { list.add(id, .skipped, "there is no nfc dictionary") }
            return
        }
        if nfc.requiresAuthentication == true, contents.sharingProhibited != true {
            list.add("nfc", .warn, "requiresAuthentication without sharingProhibited: the pass can be shared around it")
        } else {
            list.add("nfc", .pass, "pass.json has an nfc dictionary")
        }
        message(nfc.message, &list)
        publicKey(nfc.encryptionPublicKey, &list)
        match(&list)
    }

    private func message(_ message: String?, _ list: inout CheckList) {
        guard let message, !message.isEmpty else {
            return list.add("message", .fail, "nfc.message is \(message == nil ? "missing" : "empty")")
        }
        let count = message.utf8.count
        guard count <= VASPayload.messageLimit else {
            return list.add(
                "message", .fail, "nfc.message has \(count) bytes; phones cut it off after \(VASPayload.messageLimit)",
                fix: "shorten it to \(VASPayload.messageLimit) bytes of UTF-8")
        }
        list.add("message", .pass, "nfc.message has \(count) bytes")
    }

    private func publicKey(_ text: String?, _ list: inout CheckList) {
        let fix = "`countertop key show FILE` prints the right form"
        guard let text else {
            return list.add("encryptionPublicKey", .fail, "nfc.encryptionPublicKey is missing", fix: fix)
        }
        do {
            let key = try PhoneDefinition.NFC.publicKey(base64: text)
            let isCustomary = Data(base64Encoded: text).map(Array.init) == key.subjectPublicKeyInfo()
            list.add(
                "encryptionPublicKey", isCustomary ? .pass : .warn,
                isCustomary
                    ? "Base64 of a P-256 SubjectPublicKeyInfo, point compressed, key id \(VASKey.id(of: key))"
                    : "a P-256 key, key id \(VASKey.id(of: key)), but not in the customary form with a compressed point",
                fix: isCustomary ? nil : fix)
        } catch {
            list.add("encryptionPublicKey", .fail, error.reason, fix: error.hint ?? fix)
        }
    }

    private func match(_ list: inout CheckList) {
        guard let key else { return list.add("key", .skipped, "no --key was given") }
        guard let publicKey else { return list.add("key", .skipped, "the pass's key cannot be read") }
        if key.publicKey == publicKey {
            list.add("key", .pass, "--key is the private half of the pass's key")
        } else {
            list.add(
                "key", .fail,
                "--key has id \(VASKey.id(of: key.publicKey)), the pass's key \(VASKey.id(of: publicKey))",
                fix: "give the private key that belongs to the pass")
        }
    }
}
