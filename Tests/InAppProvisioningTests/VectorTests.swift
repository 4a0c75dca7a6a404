// SPDX-License-Identifier: Apache-2.0

import ISO7816
import Testing
import WalletCrypto

@testable import InAppProvisioning

/// The public vector of drvpereira/applepay-crypto (MIT, 2019 David Pereira), `encryption_log.txt`.
enum PublicVector {
    static let leaf = """
        042e3e5ccf6b9ab04be7a22f3faccfde73c87e87155394a34815408a896ca18a\
        374dac669af3bf6220fc863767f4af47507c5bc221fc4a19874daf39b4074e3eb8
        """
    static let ephemeralPrivate = "7eee47dee108a08edd2bcd2bb762a543ca23ea96c9af09ad54beb9fa3ce1a026"
    static let ephemeralPublic = """
        0499a6f42e83ea4f150a78780ffb562c9cdb9b7507bc5d28cbfbf8cc3ef0af68\
        b36e60cb10db69127830f7f899492017089e3b73c83fcf0ebdf2c06b613c3f88b7
        """
    static let secret = "a88b995fecbdf756515ed42ba53a6ccca4f5936f69cf4d15352c94c592b347b1"
    static let key = "083080d3d0c521c02cd3ae2134363d09ea50dff914677fab9e22f18f9c28a3b9"
    static let sealed = "dcac4fa2adb5592c94f503dd67fcd25260e780f69d520469cbe751eecbbab7"
}

@Suite struct VectorTests {
    private let leaf: P256PublicKey
    private let ephemeral: P256PrivateKey

    init() throws {
        leaf = try P256PublicKey(x963: try Hex.decode(PublicVector.leaf))
        ephemeral = try P256PrivateKey(scalar: try Hex.decode(PublicVector.ephemeralPrivate))
    }

    @Test func `the public vector, every value in between`() throws {
        #expect(Hex.encode(ephemeral.publicKey.uncompressed).lowercased() == PublicVector.ephemeralPublic)
        let secret = try ephemeral.sharedSecret(with: leaf)
        #expect(secret.hex == PublicVector.secret)
        #expect(try ECCv2.derive(secret, partyV: ephemeral.publicKey.uncompressed).hex == PublicVector.key)
        let sealed = try ECCv2.seal(Array("Data to encrypt".utf8), to: leaf, ephemeral: ephemeral)
        #expect(Hex.encode(sealed.encryptedPassData).lowercased() == PublicVector.sealed)
        #expect(Hex.encode(sealed.ephemeralPublicKey).lowercased() == PublicVector.ephemeralPublic)
    }
}

extension SecretBytes {
    /// Its bytes in lower-case hex, for comparisons in tests.
    var hex: String { withUnsafeBytes { Hex.encode($0) }.lowercased() }
    /// Its bytes, for comparisons in tests.
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
