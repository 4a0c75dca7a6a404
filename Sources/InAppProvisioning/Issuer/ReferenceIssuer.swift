// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How the reference issuer is set up.
public struct IssuerSettings: Sendable {
    /// Its cards.
    public var cards: IssuerCardFile
    /// What chains it seals for.
    public var chain: IssuerChain
    /// The interfaces it answers; a request is the first one's whose method and path it has.
    public var profiles = ProcessorProfile.builtIn
    /// One of these must be in `Authorization: Bearer`; without any, everybody is answered.
    public var tokens: [SecretBytes] = []
    /// What it does wrong on purpose.
    public var fault: IssuerFault?
    /// The time, for the certificates.
    public var now: @Sendable () -> Date = { Date() }

    /// An issuer of `cards` that seals for `chain`.
    public init(cards: IssuerCardFile, chain: IssuerChain) { (self.cards, self.chain) = (cards, chain) }
}

/// A back end that makes what Wallet needs to add a card: checks the chain, seals the card for the leaf with a key of
/// this one request, and answers in the interface that was asked. Usable from any thread.
public final class ReferenceIssuer: Sendable {
    /// An answer with what the audit log may have of it.
    public struct Answer: Sendable {
        /// What goes back.
        public var response: ProfileResponse
        /// What happened, without a secret.
        public var audit: IssuerAudit
    }

    private let settings: IssuerSettings
    private let ledger = NonceLedger()

    /// An issuer.
    public init(_ settings: IssuerSettings) { self.settings = settings }

    /// What it does wrong on purpose.
    public var fault: IssuerFault? { settings.fault }

    /// Answers one request, whatever it is.
    public func answer(_ request: ProfileRequest) -> Answer {
        guard
            let profile = settings.profiles.first(where: { $0.matches(method: request.method, target: request.target) })
        else { return unknownPath(request) }
        var audit = IssuerAudit(profile: profile.name)
        let response: ProfileResponse
        do throws(Refusal) {
            response = try seal(request, profile, &audit)
        } catch {
            audit.code = error.code
            response = profile.refusal(status: error.status, code: error.code, text: error.text)
        }
        let spoilt = settings.fault?.spoil(response, profile) ?? response
        audit.status = spoilt.status
        if settings.fault != nil { audit.isInjected = true }
        return Answer(response: spoilt, audit: audit)
    }

    private struct Refusal: Error {
        let status: Int
        let code: String
        let text: String

        init(_ status: Int, _ code: String, _ text: String) {
            (self.status, self.code, self.text) = (status, code, text)
        }

        init(_ status: Int, _ error: ProvisioningError) {
            let place = error.offset.map { " (byte \($0))" } ?? ""
            let hint = error.hint.map { "; \($0)" } ?? ""
            self.init(status, error.code.rawValue, error.reason + place + hint)
        }
    }

    private func unknownPath(_ request: ProfileRequest) -> Answer {
        let known = settings.profiles.map { "\($0.method) \($0.path)" }.joined(separator: ", ")
        var audit = IssuerAudit(profile: nil)
        (audit.status, audit.code) = (404, "unknownPath")
        let plain = ProcessorProfile(name: "none", title: "", source: "", path: "/")
        return Answer(
            response: plain.refusal(status: 404, code: "unknownPath", text: "There are \(known)"), audit: audit)
    }

    private func seal(
        _ request: ProfileRequest, _ profile: ProcessorProfile, _ audit: inout IssuerAudit
    ) throws(Refusal) -> ProfileResponse {
        guard isAuthorised(request) else {
            throw Refusal(401, "unauthorised", "The request needs Authorization: Bearer with a token of this issuer")
        }
        let incoming: IncomingRequest
        do { incoming = try profile.decode(request) } catch { throw Refusal(400, error) }
        let report = settings.chain.validate(incoming.request.certificates, at: settings.now())
        audit.findings = report.findings.map(\.code.rawValue)
        let leaf: P256PublicKey
        do { leaf = try report.acceptedKey() } catch { throw Refusal(422, error) }
        try check(incoming.request)
        guard let card = incoming.card.flatMap({ settings.cards.cards[$0] }) else {
            throw Refusal(404, "unknownCard", "This issuer has no such card")
        }
        audit.card = card.id
        let payload = CardPayload.clear(card.details)
            .json(nonce: incoming.request.nonce, nonceSignature: incoming.request.nonceSignature)
        guard ledger.isFirst(nonce: incoming.request.nonce, signature: incoming.request.nonceSignature) else {
            throw Refusal(409, "replayedNonce", "The nonce was used before; every request needs one of its own")
        }
        do {
            let activation = card.activationData ?? RandomBytes.generate(32)
            if case .mistake(let mistake) = settings.fault {
                return profile.encode(
                    try mistake.seal(payload, activation: activation, to: leaf), network: card.network)
            }
            let sealed = try payload.withUnsafeBytes { bytes throws(ProvisioningError) in
                try ECCv2.seal(bytes, to: leaf)
            }
            return profile.encode(ProvisioningTrio(sealed, activationData: activation), network: card.network)
        } catch { throw Refusal(500, "internalFailure", "Sealing failed") }
    }

    /// The most bytes of nonce and signature; 4 and 81 are what public samples have.
    private static let most = (nonce: 64, signature: 1024)

    private func check(_ request: WalletRequest) throws(Refusal) {
        guard (1...Self.most.nonce).contains(request.nonce.count) else {
            throw Refusal(400, "invalidRequest", "The nonce has \(request.nonce.count) bytes")
        }
        guard (1...Self.most.signature).contains(request.nonceSignature.count) else {
            throw Refusal(400, "invalidRequest", "The nonce signature has \(request.nonceSignature.count) bytes")
        }
    }

    /// Compares in constant time (SecretBytes).
    private func isAuthorised(_ request: ProfileRequest) -> Bool {
        guard !settings.tokens.isEmpty else { return true }
        let field = request.headers.first { $0.name.lowercased() == "authorization" }?.value ?? ""
        guard field.lowercased().hasPrefix("bearer ") else { return false }
        let given = SecretBytes(copying: Array(field.utf8.dropFirst(7)))
        return settings.tokens.contains { $0 == given }
    }
}

/// What the audit log has of a request: no number, no blob, no key, no nonce and no signature.
public struct IssuerAudit: Hashable, Sendable {
    /// The interface; nil for an unknown path.
    public var profile: String?
    /// The card's reference, when the issuer has such a card.
    public var card: String?
    /// The HTTP status.
    public var status = 200
    /// Why it was refused; nil when it was not.
    public var code: String?
    /// Findings about the chain, by their codes.
    public var findings: [String] = []
    /// Whether a fault was injected.
    public var isInjected = false

    init(profile: String?) { self.profile = profile }

    /// The members of a line of JSON.
    public var fields: [(name: String, value: String)] {
        [
            ("profile", profile), ("card", card), ("status", String(status)), ("code", code),
            ("chain", findings.isEmpty ? nil : findings.joined(separator: " ")),
            ("injected", isInjected ? "true" : nil),
        ].compactMap { name, value in value.map { (name, $0) } }
    }
}
