// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import ISO7816
import TestSupport
import WalletCrypto

@testable import InAppProvisioning

/// What most tests begin with.
enum Fixture {
    static let date = Date(timeIntervalSince1970: 1_767_268_800)
    /// A test card's number that stands nowhere else, so that the secrets gate can look for it.
    static let panText: String = {
        let digits = "4761739001019839"
        SecretsGate.register(.pan, digits)
        return digits
    }()

    static func authority() throws -> ProvisioningTestAuthority { try ProvisioningTestAuthority() }
    static func identity() throws -> WalletIdentity { try authority().makeIdentity(at: date) }
    static func card(_ pan: String = panText, _ expiration: String = "12/31") throws -> CardDetails {
        try CardDetails(primaryAccountNumber: pan, expiration: expiration, name: "ALEX DOE")
    }

    /// What a sound issuer answers.
    static func trio(
        _ request: WalletRequest, _ identity: WalletIdentity, activation: [UInt8] = Array("opaque-1".utf8)
    ) throws -> ProvisioningTrio {
        let plaintext = try CardPayload.clear(card()).json(
            nonce: request.nonce, nonceSignature: request.nonceSignature)
        return ProvisioningTrio(
            try ECCv2.seal(plaintext.bytes, to: identity.leafKey.publicKey), activationData: activation)
    }
}

extension SecretBytes {
    /// Its bytes in lower-case hex, for comparisons in tests.
    var hex: String { withUnsafeBytes { Hex.encode($0) }.lowercased() }
    /// Its bytes, for comparisons in tests.
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
