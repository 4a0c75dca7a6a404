// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import WalletCrypto

/// Answers of issuers, in every profile, and what stands in them.
@Sendable func fuzzProvisioningAnswer(_ bytes: [UInt8]) {
    for profile in ProcessorProfile.builtIn {
        guard let answer = try? profile.decodeAnswer(bytes, network: "mastercard") else { continue }
        if let identity = fuzzIdentity { _ = EnvelopeDiagnosis.open(answer.trio, for: identity).diagnosis }
        _ = ActivationFormat(answer.trio.activationData).name
    }
    _ = try? OpenedPayload(json: SecretBytes(copying: bytes))
    _ = ActivationFormat(bytes).name
}

/// A user's profile; what was read must write back to the same, and carry a request.
@Sendable func fuzzProvisioningProfile(_ bytes: [UInt8]) {
    guard let profile = try? ProcessorProfile(file: bytes) else { return }
    precondition((try? ProcessorProfile(file: Array(profile.file().utf8))) == profile, "a profile does not read back")
    guard let request = fuzzIdentity?.makeRequest() else { return }
    _ = try? profile.decode(profile.encode(request, card: "card-1"))
}

/// Requests: the method's first line is fixed, the body is what the fuzzer gives.
@Sendable func fuzzProvisioningRequest(_ bytes: [UInt8]) {
    for profile in ProcessorProfile.builtIn {
        let target = profile.path + "?" + String(decoding: bytes, as: UTF8.self)
        _ = try? profile.decode(ProfileRequest(method: profile.method, target: target, body: bytes))
    }
}

/// Chains: each certificate with its length in two bytes before it. None is signed by the root, so none is accepted.
@Sendable func fuzzProvisioningChain(_ bytes: [UInt8]) {
    var (rest, certificates): (ArraySlice<UInt8>, [[UInt8]]) = (bytes[...], [])
    while rest.count >= 2 {
        let count = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
        certificates.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
    }
    guard let root = fuzzAuthority?.root else { return }
    _ = IssuerChain(roots: [root]).validate(certificates, at: Date(timeIntervalSince1970: 1_767_268_800)).isAccepted
}

private let fuzzAuthority = try? ProvisioningTestAuthority()
private let fuzzIdentity = try? fuzzAuthority?.makeIdentity(at: Date(timeIntervalSince1970: 1_767_268_800))
