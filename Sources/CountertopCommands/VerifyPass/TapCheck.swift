// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import EmulatedWallet
internal import ISO7816
internal import WalletCrypto

/// A real tap: an unlocked phone with this pass, the reader's own code, and the key.
struct TapCheck {
    let package: PassPackage
    let nfc: NFCCheck
    let key: P256PrivateKey?

    func run(_ list: inout CheckList) async {
        guard let key else { return list.add("tap", .skipped, "no --key was given") }
        guard nfc.publicKey != nil, nfc.contents.nfc?.message != nil, let id = nfc.contents.passTypeIdentifier else {
            return list.add("tap", .skipped, "the pass has nothing that could be read")
        }
        do {
            let entry = try await tap(id)
            guard let data = entry.cryptogram else {
                return list.add("tap", .fail, "the emulated phone answered \(entry.status)")
            }
            var ring = VASKeyRing()
            ring.add(key)
            judge(ring.decrypt(data, passTypeIdentifier: id), &list)
        } catch {
            list.add("tap", .fail, ToolError(error).reason)
        }
    }

    private func tap(_ id: String) async throws -> VASEntry {
        let phone = EmulatedPhone(PhoneDefinition(passes: [try PhoneDefinition.Pass(package: package)]))
        let reader = EmulatedReader(phone)
        let merchant = VASMerchant(passTypeIdentifier: id)
        let result = try await reader.withCard(ending: .unpower) { channel in
            try VASTerminal().read([merchant], over: OpaqueChannel(channel))
        }
        guard let entry = result.entries.first else {
            throw ToolError(.checkFailed, "the emulated phone gave no answer")
        }
        return entry
    }

    private func judge(_ opened: Result<VASPayload, VASPayloadFailure>, _ list: inout CheckList) {
        switch opened {
        case .success(let payload) where payload.message == Array((nfc.contents.nfc?.message ?? "").utf8):
            list.add("tap", .pass, "an emulated tap handed out the message, opened with key \(payload.keyID)")
        case .success:
            list.add("tap", .fail, "an emulated tap handed out another message than nfc.message")
        case .failure(let failure):
            list.add("tap", .fail, failure.reason, fix: failure.hint)
        }
    }
}

/// Any channel as one type.
private struct OpaqueChannel: CardChannel {
    let base: any CardChannel
    init(_ base: any CardChannel) { self.base = base }
    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] { try base.transmit(command) }
}
