// SPDX-License-Identifier: Apache-2.0

import ISO7816
import WalletCrypto

/// SubjectPublicKeyInfo of kinds that ECC_V2 has no use for. Nobody encrypts with them.
enum ForeignKey {
    /// RSA, 2048 bits, exponent 65537 (RFC 8017, A.1). The modulus is any odd number, not a product of known primes.
    static let rsa: [UInt8] = {
        let head = "30820122300D06092A864886F70D01010105000382010F003082010A0282010100"
        var modulus = (UInt8(0)..<8).flatMap { Digest.sha256([$0]) }
        modulus[0] |= 0x80
        modulus[255] |= 0x01
        return ((try? Hex.decode(head)) ?? []) + modulus + [0x02, 0x03, 0x01, 0x00, 0x01]
    }()

    /// P-384 with its base point (SEC 2, 2.5.1), the key of the number 1.
    static let p384: [UInt8] = {
        let text = """
            3076301006072A8648CE3D020106052B81040022036200\
            04AA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A38\
            5502F25DBF55296C3A545E3872760AB7\
            3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C0\
            0A60B1CE1D7E819D7A431D7C90EA0E5F
            """
        return (try? Hex.decode(text)) ?? []
    }()
}
