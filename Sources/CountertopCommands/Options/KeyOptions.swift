// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ArgumentParser
internal import WalletCrypto

/// The private keys that open what a pass hands out.
struct KeyOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A private key of a pass: PEM, DER, hex or Base64. Repeat it for several.", valueName: "file"))
    var key: [String] = []

    /// Reads the key files, of which others must not be able to read any.
    func ring(and more: [String] = []) throws -> VASKeyRing {
        var ring = VASKeyRing()
        for file in key + more { ring.add(try KeyFile.privateKey(file)) }
        return ring
    }
}
