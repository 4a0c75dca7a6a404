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

    @Test func `the second vector of the derivation, against a production leaf`() throws {
        let secret = SecretBytes(
            copying: try Hex.decode("c78afba6a1d099f775a1ecfdcb69ea3b09191a33f6435f5732f59839fd17be7d"))
        let key = try ECCv2.derive(secret, partyV: ephemeral.publicKey.uncompressed)
        #expect(key.hex == "6e6e568b077f3f9401652ea327f1e520c822307719ecc93289c6f167ecde0b91")
    }

    /// First bytes of the key for each mistake, as computed for this vector.
    @Test(arguments: [
        ("kdf-no-counter", "386afee826345757"), ("kdf-no-algorithm-length", "1f114141acf1248f"),
        ("partyv-leaf-key", "4914f7395a828de2"), ("partyv-spki", "09bae429801ccbea"),
        ("partyv-sha256", "1f7e95236dc5a0a0"), ("partyv-missing", "504a34f6502ad0a7"),
    ])
    func `the table of wrong variants`(id: String, start: String) throws {
        let inputs = EnvelopeVariants.Inputs(
            secret: try Hex.decode(PublicVector.secret), ephemeral: ephemeral.publicKey,
            sent: ephemeral.publicKey.uncompressed, leaf: leaf)
        let keys = EnvelopeVariants.derivations.filter { $0.mistake?.id == id }.map { $0.key(inputs).prefix(8) }
        #expect(keys.contains { Hex.encode($0).lowercased() == start })
    }

    @Test func `the wrong result with a 16-byte IV`() throws {
        let key = SecretBytes(copying: try Hex.decode(PublicVector.key))
        let wrong = try AESGCM.seal(Array("Data to encrypt".utf8), key: key, iv: [UInt8](repeating: 0, count: 16))
        #expect(
            Hex.encode(wrong.ciphertext + wrong.tag).lowercased()
                == "82b0b24eb27710e49b22f7c291300be0d5a91d0c2b1ae95776d6ffb8d71e2f")
    }
}
