// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// What became of an issuer's answer on the device.
public enum EnvelopeOpening: Sendable, Concealed {
    /// It opens as it should.
    case opened(SecretBytes)
    /// It opens when read with these mistakes, the fewest that do.
    case openedDespite([EnvelopeMistake], SecretBytes)
    /// Nothing that is known opens it.
    case closed(ProvisioningError)

    /// The plaintext, if it could be had.
    public var plaintext: SecretBytes? {
        switch self {
        case .opened(let plaintext), .openedDespite(_, let plaintext): plaintext
        case .closed: nil
        }
    }

    /// The mistakes that were named.
    public var mistakes: [EnvelopeMistake] {
        if case .openedDespite(let mistakes, _) = self { mistakes } else { [] }
    }

    /// The names of the mistakes with `+` between them, or nil when there are none.
    public var diagnosis: String? {
        mistakes.isEmpty ? nil : mistakes.map(\.id).joined(separator: "+")
    }
}

/// The device's half: opens an issuer's answer, and when the tag does not fit, says what the issuer did instead.
public enum EnvelopeDiagnosis {
    /// Longer data are opened the right way only.
    static let mostBytes = 65_536

    /// Opens `trio` with the leaf's key, or finds the mistakes with which it opens.
    public static func open(_ trio: ProvisioningTrio, for identity: WalletIdentity) -> EnvelopeOpening {
        let failure: ProvisioningError
        do throws(ProvisioningError) {
            return .opened(try ECCv2.open(trio.sealed, with: identity.leafKey))
        } catch {
            failure = error
        }
        guard trio.encryptedPassData.count <= mostBytes, trio.ephemeralPublicKey.count <= mostBytes,
            trio.activationData.count <= mostBytes, let found = search(trio, identity)
        else { return .closed(failure) }
        return .openedDespite(found.mistakes, found.plaintext)
    }

    private struct Found {
        var mistakes: [EnvelopeMistake]
        var plaintext: SecretBytes
    }

    /// The reading with the fewest mistakes that opens.
    private static func search(_ trio: ProvisioningTrio, _ identity: WalletIdentity) -> Found? {
        let keys: [(mistake: EnvelopeMistake?, key: P256PrivateKey)] =
            [(nil, identity.leafKey)]
            + (identity.intermediateKey.map { [(EnvelopeVariants.wrongCertificate, $0)] } ?? [])
        var best: Found?
        for form in EnvelopeVariants.forms {
            guard let taken = form.apply(trio) else { continue }
            for keyForm in EnvelopeVariants.keyForms {
                guard let bytes = keyForm.point(taken.ephemeralPublicKey),
                    let point = try? P256PublicKey(x963: bytes)
                else { continue }
                for (wrongKey, key) in keys {
                    let mistakes = [form.mistake, keyForm.mistake, wrongKey].compactMap { $0 }
                    let found = decrypt(taken, point, key, mistakes, fewerThan: best?.mistakes.count)
                    best = found ?? best
                }
            }
        }
        return best
    }

    private static func decrypt(
        _ trio: ProvisioningTrio, _ point: P256PublicKey, _ key: P256PrivateKey, _ mistakes: [EnvelopeMistake],
        fewerThan limit: Int?
    ) -> Found? {
        guard let secret = try? key.sharedSecret(with: point) else { return nil }
        var inputs = EnvelopeVariants.Inputs(
            secret: secret.withUnsafeBytes { Array($0) }, ephemeral: point, sent: trio.ephemeralPublicKey,
            leaf: key.publicKey)
        defer { for index in inputs.secret.indices { inputs.secret[index] = 0 } }
        var best: Found?
        for derivation in EnvelopeVariants.derivations {
            let derived = SecretBytes(copying: derivation.key(inputs))
            for cipher in EnvelopeVariants.ciphers {
                let all = mistakes + [derivation.mistake, cipher.mistake].compactMap { $0 }
                guard all.count < best?.mistakes.count ?? limit ?? Int.max,
                    let (iv, data) = cipher.cut(trio.encryptedPassData), data.count >= AESGCM.tagCount,
                    let plaintext = try? ECCv2.open(data, key: derived, iv: iv)
                else { continue }
                best = Found(mistakes: all, plaintext: plaintext)
            }
        }
        return best
    }
}
