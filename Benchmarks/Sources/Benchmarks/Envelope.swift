// SPDX-License-Identifier: Apache-2.0

import CBaseline
import Foundation
import InAppProvisioning
import WalletCrypto

/// Sealing and opening one envelope against the bare OpenSSL operations in them: key generation, ECDH, AES-GCM.
func benchmarkEnvelope(rounds: Int, perRound: Int) throws -> Row {
    let scalar = [UInt8](repeating: 0x11, count: 32)
    let leaf = try P256PrivateKey(scalar: scalar)
    guard let baseline = baseline_envelope_new(scalar) else { throw BenchmarkFailure("no C baseline") }
    defer { baseline_envelope_free(baseline) }
    // As long as a payload is.
    let payload = [UInt8](repeating: 0x20, count: 290)
    let point = leaf.publicKey.uncompressed
    let comparison = try ratio(rounds: rounds) {
        try nanoseconds {
            for _ in 0..<perRound {
                let sealed = try ECCv2.seal(payload, to: leaf.publicKey)
                guard try ECCv2.open(sealed, with: leaf).count == payload.count else {
                    throw BenchmarkFailure("our own envelope does not open")
                }
            }
        } / Double(perRound)
    } baseline: {
        var sealed = [UInt8](repeating: 0, count: payload.count + 16)
        var opened = [UInt8](repeating: 0, count: payload.count)
        var ephemeral = [UInt8](repeating: 0, count: 65)
        return try nanoseconds {
            for _ in 0..<perRound {
                guard baseline_envelope_seal(baseline, point, payload, payload.count, &sealed, &ephemeral) == 1,
                    baseline_envelope_open(baseline, ephemeral, sealed, sealed.count, &opened) == 1
                else { throw BenchmarkFailure("the C baseline failed") }
            }
        } / Double(perRound)
    }
    return comparison.row("envelope: seal and open / bare OpenSSL", atMost: 1.3)
}
