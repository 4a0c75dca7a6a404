// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request that is unusual or wrong on purpose, to see what a back end does with it: groups C and N.
public struct ConformanceProbe: Sendable, Identifiable {
    /// What a sound back end does.
    enum Expectation: Sendable {
        case accepts
        case refuses
        case either
        /// Only what is usual is refused, which is what is wrong.
        case explains
    }

    /// How the request is wrong.
    enum Change: Sendable {
        case shape(@Sendable (inout ProvisioningTestAuthority.Shape) -> Void)
        case stranger
        case request(@Sendable (inout WalletRequest) -> Void)
        case body([UInt8])
        case repeated
        case none
    }

    /// What became of a request.
    public enum Outcome: Sendable, Concealed {
        /// An answer.
        case answered(ProfileResponse)
        /// No answer, for a reason that holds no data.
        case noAnswer(String)
    }

    /// The check that it is for.
    public let check: ConformanceCheck
    let expectation: Expectation
    let change: Change

    /// The check's name.
    public var id: String { check.id }

    /// What to send when a sound request was refused: if one of these is accepted, its check says why.
    public static let explanations: [ConformanceProbe] = [
        probe(.criticalMarker, .explains, .shape { $0.marker = .notCritical }),
        probe(.twoCertificates, .explains, .shape { $0.includesRoot = true }),
    ]

    /// A sound request that is sent twice at the same time.
    public static let duplicate = probe(.duplicate, .accepts, .none)

    /// A sound request that is sent while other clients send theirs byte by byte, and never end.
    public static let amongSlowClients = probe(.slowClients, .accepts, .none)

    /// All other probes, in the order in which they should be sent. The last one sees whether the service goes on.
    public static let all: [ConformanceProbe] = [
        probe(.threeCertificates, .accepts, .shape { $0.includesRoot = true }),
        probe(.order, .either, .shape { $0.isReversed = true }),
        probe(.wrongRoot, .refuses, .stranger),
        probe(.noMarker, .refuses, .shape { $0.marker = .absent }),
        probe(.expiredLeaf, .refuses, .shape { ($0.begins, $0.ends) = (-200_000, -100_000) }),
        probe(.rsaLeaf, .refuses, .shape { $0.key = .rsa }),
        probe(.p384Leaf, .refuses, .shape { $0.key = .p384 }),
        probe(.replayedNonce, .refuses, .repeated),
        probe(
            .brokenCertificate, .refuses,
            .request { $0.certificates = $0.certificates.map { Array($0.prefix($0.count / 2)) } }),
        probe(.hugeNonce, .refuses, .request { $0.nonce = [UInt8](repeating: 0x5A, count: 1_000_000) }),
        probe(.deepJSON, .refuses, .body([UInt8](repeating: UInt8(ascii: "["), count: 10_000))),
        probe(.notUTF8, .refuses, .body(Array("{\"nonce\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8))),
        probe(.goesOn, .accepts, .none),
    ]

    private static func probe(
        _ check: ConformanceCheck, _ expectation: Expectation, _ change: Change
    ) -> ConformanceProbe {
        ConformanceProbe(check: check, expectation: expectation, change: change)
    }

    /// The request to send, or nil when the profile cannot carry it.
    /// - Parameters:
    ///   - first: the flow's own request, which one probe repeats.
    public func request(
        _ profile: ProcessorProfile, card: String, authority: ProvisioningTestAuthority, at date: Date,
        first: WalletRequest, random: (Int) -> [UInt8] = RandomBytes.generate
    ) throws(ProvisioningError) -> ProfileRequest? {
        var shape = ProvisioningTestAuthority.Shape()
        if case .shape(let change) = change { change(&shape) }
        if shape.includesRoot || shape.isReversed, profile.certificates.form != .array { return nil }
        let maker: ProvisioningTestAuthority
        if case .stranger = change {
            maker = try ProvisioningTestAuthority(label: "a stranger")
        } else {
            maker = authority
        }
        var request = try maker.makeIdentity(shape, at: date).makeRequest(random: random)
        switch change {
        case .repeated: request = first
        case .request(let change): change(&request)
        case .shape, .stranger, .body, .none: break
        }
        var message = profile.encode(request, card: card)
        if case .body(let body) = change {
            guard profile.body == .json else { return nil }
            message.body = body
        }
        return message
    }

    /// The result for what became of it.
    public func result(_ outcome: Outcome, _ profile: ProcessorProfile) -> ConformanceResult {
        let (accepted, evidence) = Self.read(outcome, profile)
        switch expectation {
        case .accepts: return ConformanceResult(check, accepted == true ? .pass : check.violation, evidence)
        case .refuses:
            if accepted == true { return ConformanceResult(check, check.violation, "accepted") }
            return ConformanceResult(check, accepted == false ? .pass : check.violation, evidence)
        case .either: return ConformanceResult(check, accepted == nil ? check.violation : .pass, evidence)
        case .explains:
            return accepted == true
                ? ConformanceResult(check, check.violation, "refused; without it there is an answer")
                : ConformanceResult(check, .notVerifiable, evidence)
        }
    }

    /// The result for both answers to ``duplicate``.
    public static func result(of outcomes: [Outcome], _ profile: ProcessorProfile) -> ConformanceResult {
        let keys = outcomes.compactMap { outcome -> [UInt8]? in
            guard case .answered(let response) = outcome, (200..<300).contains(response.status) else { return nil }
            return try? profile.decodeAnswer(response.body).trio.ephemeralPublicKey
        }
        let check = duplicate.check
        guard !keys.isEmpty else {
            let (_, evidence) = outcomes.first.map { read($0, profile) } ?? (nil, "nothing was sent")
            return ConformanceResult(check, .notVerifiable, "neither was answered: \(evidence)")
        }
        let isSound = Set(keys).count == 1
        return ConformanceResult(
            check, isSound ? .pass : check.violation,
            "\(keys.count) of \(outcomes.count) answered" + (isSound ? "" : ", with different sealed cards"))
    }

    /// Accepted, refused with 4xx, or (nil) neither.
    private static func read(_ outcome: Outcome, _ profile: ProcessorProfile) -> (Bool?, String) {
        switch outcome {
        case .noAnswer(let reason): return (nil, reason)
        case .answered(let response):
            let text = "status \(response.status)"
            switch response.status {
            case 200..<300: return ((try? profile.decodeAnswer(response.body)) != nil, text)
            case 400..<500: return (false, text)
            default: return (nil, text)
            }
        }
    }
}
