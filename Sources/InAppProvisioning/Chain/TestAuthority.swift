// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A certificate authority that makes chains shaped like those Wallet hands over, under names that are not Apple's.
///
/// The keys of root and intermediate come from a public text: every process has the same ones, so an issuer that is
/// told to trust this root accepts chains of any emulated Wallet. It must not be told so outside of tests.
public struct ProvisioningTestAuthority: Sendable {
    /// Organisation in every name.
    static let organisation = "countertop test authority, not Apple"

    /// The root's certificate, for those who trust it.
    public let root: X509Certificate
    /// The intermediate's certificate.
    public let intermediate: X509Certificate
    let rootKey: P256PrivateKey
    let intermediateKey: P256PrivateKey

    /// An authority whose certificates are valid from 2020 to 2119.
    /// - Parameter label: authorities of different labels have different keys and names.
    public init(label: String = "public test root") throws(ProvisioningError) {
        do {
            let (from, until) = (Date(timeIntervalSince1970: 1_577_836_800), Date(timeIntervalSince1970: 4_700_000_000))
            rootKey = try Self.key("root", label)
            intermediateKey = try Self.key("intermediate", label)
            root = try .issue(
                subject: Self.name("Provisioning Test Root (\(label))"), publicKey: rootKey.publicKey, issuer: nil,
                issuerKey: rootKey, notBefore: from, notAfter: until, isAuthority: true)
            intermediate = try .issue(
                subject: Self.name("Provisioning Test Intermediate (\(label))"), publicKey: intermediateKey.publicKey,
                issuer: root, issuerKey: rootKey, notBefore: from, notAfter: until, isAuthority: true,
                extensions: [
                    X509Extension(identifier: IssuerChain.intermediateMarker, isCritical: false, value: derNull)
                ])
        } catch { throw ProvisioningError(internal: error) }
    }

    /// Whether a certificate is one of a test authority, by its name.
    public static func isTestCertificate(_ certificate: X509Certificate) -> Bool {
        certificate.subjectValues(for: "O").contains(organisation)
    }

    private static func name(_ common: String) -> [(name: String, value: String)] {
        [("O", organisation), ("CN", common)]
    }

    /// A key that everybody can make: SHA-256 of a public text, which is below the order but for one case in 2^32.
    private static func key(_ role: String, _ label: String) throws(CryptoError) -> P256PrivateKey {
        try P256PrivateKey(scalar: Digest.sha256("countertop in-app provisioning, \(role), \(label)".utf8))
    }

    /// How a chain deviates from a sound one, to see what an issuer does with it.
    public struct Shape: Hashable, Sendable {
        /// The kind of key in the leaf.
        public enum Key: Hashable, Sendable {
            /// As ECC_V2 wants it.
            case p256
            /// A modulus of 2048 bits.
            case rsa
            /// The next larger curve.
            case p384
        }

        /// The leaf's marker extension.
        public enum Marker: Hashable, Sendable {
            /// As on real leaves.
            case critical
            /// There, but not critical.
            case notCritical
            /// Not there.
            case absent
        }

        /// Whether the root comes too.
        public var includesRoot = false
        /// Whether the certificates come in reverse order.
        public var isReversed = false
        /// The leaf's key.
        public var key = Key.p256
        /// The leaf's marker.
        public var marker = Marker.critical
        /// How long before the moment of making the leaf begins, in seconds.
        public var begins: TimeInterval = -86_400
        /// How long after the moment of making the leaf ends, in seconds. Real ones live about two years.
        public var ends: TimeInterval = 2 * 365 * 86_400

        /// A sound chain of two.
        public init() {}
    }

    /// A fresh leaf and what comes with it.
    /// - Parameter date: the moment of making.
    public func makeIdentity(_ shape: Shape = Shape(), at date: Date) throws(ProvisioningError) -> WalletIdentity {
        do {
            let key = try P256PrivateKey.generate()
            let info = Self.foreignKeys[shape.key] ?? key.publicKey.subjectPublicKeyInfo(compressed: false)
            let marker = X509Extension(
                identifier: IssuerChain.leafMarker, isCritical: shape.marker == .critical, value: derNull)
            let leaf = try X509Certificate.issue(
                subject: Self.name("countertop-test-encipherment"), subjectPublicKeyInfo: info, issuer: intermediate,
                issuerKey: intermediateKey, notBefore: date.addingTimeInterval(shape.begins),
                notAfter: date.addingTimeInterval(shape.ends), keyUsage: [.keyEncipherment, .keyAgreement],
                extensions: shape.marker == .absent ? [] : [marker])
            let chain = [leaf, intermediate] + (shape.includesRoot ? [root] : [])
            return WalletIdentity(
                certificates: (shape.isReversed ? chain.reversed() : chain).map(\.der), leafKey: key,
                intermediateKey: intermediateKey)
        } catch { throw ProvisioningError(internal: error) }
    }

    /// Keys that nobody has the private half of, or everybody: they are only there to be refused.
    private static let foreignKeys: [Shape.Key: [UInt8]] = [.rsa: ForeignKey.rsa, .p384: ForeignKey.p384]
}

/// The certificates of one emulated device, with the key that opens what is sealed for them.
public struct WalletIdentity: Sendable, Concealed {
    /// The certificates in DER, as they are handed over.
    public let certificates: [[UInt8]]
    /// The leaf's private key.
    public let leafKey: P256PrivateKey
    /// The intermediate's private key, to tell when an issuer sealed for the wrong certificate.
    let intermediateKey: P256PrivateKey?

    /// An identity from outside, such as one made by another test authority.
    public init(certificates: [[UInt8]], leafKey: P256PrivateKey) {
        self.init(certificates: certificates, leafKey: leafKey, intermediateKey: nil)
    }

    init(certificates: [[UInt8]], leafKey: P256PrivateKey, intermediateKey: P256PrivateKey?) {
        (self.certificates, self.leafKey, self.intermediateKey) = (certificates, leafKey, intermediateKey)
    }

    /// Bytes of a nonce in every public sample.
    public static let nonceCount = 4
    /// Bytes of a nonce signature (Fiserv's schema: 162 characters of hex), the first of which is 40 (Galileo's
    /// sample).
    public static let nonceSignature = (count: 81, first: UInt8(0x40))

    /// A request with a fresh nonce and an opaque signature, in the sizes of real ones.
    public func makeRequest(random: (Int) -> [UInt8] = RandomBytes.generate) -> WalletRequest {
        WalletRequest(
            certificates: certificates, nonce: random(Self.nonceCount),
            nonceSignature: [Self.nonceSignature.first] + random(Self.nonceSignature.count - 1))
    }
}

/// NULL in DER.
private let derNull: [UInt8] = [0x05, 0x00]
