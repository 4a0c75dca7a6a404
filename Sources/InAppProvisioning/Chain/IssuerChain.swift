// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Something about a chain: a reason to refuse it, or a remark.
public struct ChainFinding: Hashable, Sendable, CustomStringConvertible {
    /// The kind of finding. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No certificate at all.
        public static let empty = Code(rawValue: "empty")
        /// More certificates than any chain has.
        public static let tooMany = Code(rawValue: "tooMany")
        /// Bytes that are no certificate.
        public static let unreadable = Code(rawValue: "unreadable")
        /// No certificate has the leaf's marker extension.
        public static let noMarker = Code(rawValue: "noMarker")
        /// More than one certificate has the leaf's marker extension.
        public static let severalLeaves = Code(rawValue: "severalLeaves")
        /// The leaf's key is not one on P-256.
        public static let notP256 = Code(rawValue: "notP256")
        /// The leaf may sign certificates.
        public static let leafIsAuthority = Code(rawValue: "leafIsAuthority")
        /// No chain to a root that is trusted.
        public static let untrusted = Code(rawValue: "untrusted")
        /// A certificate has run out.
        public static let expired = Code(rawValue: "expired")
        /// A certificate is not valid yet.
        public static let notYetValid = Code(rawValue: "notYetValid")
        /// A remark: the certificates are not in the order leaf, intermediate, root.
        public static let swapped = Code(rawValue: "swapped")
        /// A remark: only the leaf came.
        public static let leafOnly = Code(rawValue: "leafOnly")
        /// A remark: the marker is there but not critical.
        public static let markerNotCritical = Code(rawValue: "markerNotCritical")
        /// A remark: the leaf's key usage does not name keyAgreement.
        public static let keyUsage = Code(rawValue: "keyUsage")
        /// A remark: a test authority is trusted. Anybody can make such chains.
        public static let testRoot = Code(rawValue: "testRoot")
    }

    /// What was found.
    public let code: Code
    /// Whether the chain must be refused for it.
    public let isFatal: Bool
    /// What was found, in one sentence without a full stop; names in it are those of certificates.
    public let text: String

    /// The text.
    public var description: String { text }
}

/// What an issuer found when it checked a chain.
public struct ChainReport: Hashable, Sendable {
    /// The leaf, if one could be told.
    public fileprivate(set) var leaf: X509Certificate?
    /// The leaf's key, if it is one on P-256.
    public fileprivate(set) var leafKey: P256PublicKey?
    /// All findings, fatal ones and remarks.
    public fileprivate(set) var findings: [ChainFinding] = []

    /// Whether the issuer may seal for this leaf.
    public var isAccepted: Bool { leafKey != nil && !findings.contains { $0.isFatal } }

    /// The leaf's key of a chain that is accepted.
    /// - Throws: `invalidChain` with all the reasons.
    public func acceptedKey() throws(ProvisioningError) -> P256PublicKey {
        guard isAccepted, let leafKey else {
            let reasons = findings.filter(\.isFatal).map(\.text).joined(separator: "; ")
            throw ProvisioningError(.invalidChain, reasons.isEmpty ? "The chain has no leaf" : reasons)
        }
        return leafKey
    }

    fileprivate mutating func refuse(_ code: ChainFinding.Code, _ text: String) {
        findings.append(ChainFinding(code: code, isFatal: true, text: text))
    }

    fileprivate mutating func remark(_ code: ChainFinding.Code, _ text: String) {
        findings.append(ChainFinding(code: code, isFatal: false, text: text))
    }
}

/// Checks the certificates that Wallet hands over, as an issuer must before it seals a card for them.
public struct IssuerChain: Sendable {
    /// Marker of the leaf, critical, value NULL (measured on a leaf that a processor publishes; Apple's open-source
    /// policy SecPolicyCreateApplePayIssuerEncryption names it).
    public static let leafMarker = "1.2.840.113635.100.6.39"
    /// Marker of the intermediate (the same policy).
    public static let intermediateMarker = "1.2.840.113635.100.6.2.15"

    /// What chains must end in.
    public var roots: [X509Certificate]
    /// Certificates that need not come with a request, for processors that are sent the leaf only.
    public var intermediates: [X509Certificate]
    /// Whether certificates that have run out are taken, as Apple's own policy does.
    public var ignoresDates: Bool

    /// The most certificates that are looked at.
    static let mostCertificates = 6
    /// The most bytes of one certificate.
    static let mostBytes = 16_384
    /// The key usage extension (RFC 5280, 4.2.1.3) and its bit keyAgreement.
    static let keyUsage = (identifier: "2.5.29.15", keyAgreement: UInt8(0x08))

    /// A check against `roots`.
    public init(roots: [X509Certificate], intermediates: [X509Certificate] = [], ignoresDates: Bool = false) {
        (self.roots, self.intermediates, self.ignoresDates) = (roots, intermediates, ignoresDates)
    }

    /// Checks certificates in DER, in whatever order they came, at a moment of time.
    public func validate(_ certificates: [[UInt8]], at date: Date) -> ChainReport {
        var report = ChainReport()
        guard let parsed = read(certificates, &report) else { return report }
        let marked = parsed.filter { Self.marker(of: $0) != nil }
        guard let leaf = marked.first else {
            report.refuse(.noMarker, "No certificate has the marker extension \(Self.leafMarker) of a leaf")
            return report
        }
        report.leaf = leaf
        if Set(marked).count > 1 {
            report.refuse(.severalLeaves, "\(marked.count) certificates have the marker extension of a leaf")
        }
        judge(leaf, &report)
        judgeOrder(parsed, leaf, &report)
        judgeTrust(leaf, parsed, date, &report)
        return report
    }

    private func read(_ certificates: [[UInt8]], _ report: inout ChainReport) -> [X509Certificate]? {
        guard !certificates.isEmpty else {
            report.refuse(.empty, "There is no certificate")
            return nil
        }
        guard certificates.count <= Self.mostCertificates else {
            report.refuse(.tooMany, "There are \(certificates.count) certificates; a chain has two or three")
            return nil
        }
        var parsed: [X509Certificate] = []
        for (index, der) in certificates.enumerated() {
            if der.count <= Self.mostBytes, let certificate = try? X509Certificate(der: der) {
                parsed.append(certificate)
            } else {
                report.refuse(
                    .unreadable,
                    "Certificate \(index + 1) of \(certificates.count) is not X.509 in DER (\(der.count) bytes)")
            }
        }
        return parsed.count == certificates.count ? parsed : nil
    }

    private static func marker(of certificate: X509Certificate) -> X509Extension? {
        certificate.extensions.first { $0.identifier == leafMarker }
    }

    private func judge(_ leaf: X509Certificate, _ report: inout ChainReport) {
        do { report.leafKey = try P256PublicKey(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo) } catch {
            report.refuse(.notP256, "ECC_V2 needs a leaf with a key on P-256: \(error.reason)")
        }
        if leaf.isAuthority { report.refuse(.leafIsAuthority, "The leaf may sign certificates itself") }
        if Self.marker(of: leaf)?.isCritical == false {
            report.remark(.markerNotCritical, "The leaf's marker extension is not critical, as it is on real ones")
        }
        let usage = leaf.extensions.first { $0.identifier == Self.keyUsage.identifier }
        if (usage?.value.last ?? 0) & Self.keyUsage.keyAgreement == 0 {
            report.remark(.keyUsage, "The leaf's key usage does not name keyAgreement")
        }
    }

    private func judgeOrder(_ all: [X509Certificate], _ leaf: X509Certificate, _ report: inout ChainReport) {
        if all.count == 1 { report.remark(.leafOnly, "Only the leaf came, without its intermediate") }
        let inOrder = zip(all, all.dropFirst()).allSatisfy { $0.issuer == $1.subject }
        if all.first != leaf || !inOrder {
            report.remark(.swapped, "The certificates are not in the order leaf, intermediate, root")
        }
    }

    private func judgeTrust(
        _ leaf: X509Certificate, _ all: [X509Certificate], _ date: Date, _ report: inout ChainReport
    ) {
        let others = all.filter { $0 != leaf } + intermediates
        guard let (trust, chain) = try? CertificateTrust.evaluate(leaf, intermediates: others, roots: roots, at: date)
        else { return report.refuse(.untrusted, "The chain cannot be checked") }
        switch trust {
        case .trusted: break
        case .expired(let subject) where ignoresDates:
            report.remark(.expired, "The certificate \(subject) has run out, which is let pass")
        case .expired(let subject): report.refuse(.expired, "The certificate \(subject) has run out")
        case .notYetValid(let subject) where ignoresDates:
            report.remark(.notYetValid, "The certificate \(subject) is not valid yet, which is let pass")
        case .notYetValid(let subject): report.refuse(.notYetValid, "The certificate \(subject) is not valid yet")
        case .untrusted(let reason):
            report.refuse(.untrusted, "The chain does not lead to a root that is trusted: \(reason)")
        }
        if report.isAccepted, chain.contains(where: ProvisioningTestAuthority.isTestCertificate) {
            report.remark(.testRoot, "A test authority is trusted whose key everybody has: never outside of tests")
        }
    }
}
