// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import EmulatedWallet
internal import WalletCrypto

/// `signature`: a detached CMS signature over `manifest.json` by a certificate for this pass type and team (Apple
/// documentation, Wallet, Building a Pass).
struct SignatureCheck {
    let package: PassPackage
    let contents: PassContents?
    let roots: [X509Certificate]

    func run(_ list: inout CheckList) {
        guard let signature = package.signature, let manifest = package.manifestJSON else {
            list.add("signature", .fail, "there is no \(package.signature == nil ? "signature" : "manifest.json")")
            return skip(&list)
        }
        do {
            let signers = try CMS.verifyDetached(signature: signature, content: manifest, roots: roots)
            guard let signer = signers.signers.first else {
                list.add("signature", .fail, "nobody signed it")
                return skip(&list)
            }
            list.add("signature", .pass, "sound, by \(signer.certificate.subject)")
            trust(signer, &list)
            identity(signer.certificate, &list)
        } catch {
            list.add("signature", .fail, error.reason, fix: "sign manifest.json anew")
            skip(&list)
        }
    }

    private func skip(_ list: inout CheckList) {
        list.add("trust", .skipped, "there is no sound signature")
        list.add("identity", .skipped, "there is no sound signature")
    }

    private func trust(_ signer: CMSSigners.Signer, _ list: inout CheckList) {
        guard !roots.isEmpty else {
            return list.add(
                "trust", .warn, "no root was given, so the signer's chain was not followed",
                fix: "add --root with Apple's root certificate")
        }
        switch signer.trust {
        case .trusted: list.add("trust", .pass, "the chain leads to a given root")
        case .expired(let subject): list.add("trust", .fail, "the certificate of \(subject) has run out")
        case .notYetValid(let subject): list.add("trust", .fail, "the certificate of \(subject) is not valid yet")
        case .untrusted(let reason): list.add("trust", .fail, "the chain leads to no given root: \(reason)")
        }
    }

    /// The signer's UID is the pass type identifier and its OU the team (Apple documentation, Wallet).
    private func identity(_ certificate: X509Certificate, _ list: inout CheckList) {
        let pairs = [
            ("passTypeIdentifier", contents?.passTypeIdentifier, certificate.subjectValues(for: "UID")),
            ("teamIdentifier", contents?.teamIdentifier, certificate.subjectValues(for: "OU")),
        ]
        let wrong = pairs.compactMap { name, value, names -> String? in
            guard let value, !names.contains(value) else { return nil }
            return "\(name) \(value) is not the signer's (\(names.isEmpty ? "none" : names.joined(separator: ", ")))"
        }
        if wrong.isEmpty {
            list.add("identity", .pass, "the signer's certificate is for this pass type and team")
        } else {
            list.add("identity", .fail, wrong.joined(separator: "; "), fix: "sign with the pass type's certificate")
        }
    }
}
