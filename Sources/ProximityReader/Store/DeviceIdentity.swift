// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import WalletCrypto

/// The key that signs batches, and the certificates that vouch for it: one file, `device.pem`, in the store.
///
/// A chain of three, made together when the file is: the root's and the intermediate's keys sign once and are gone.
struct DeviceIdentity: Sendable {
    static let fileName = "device.pem"

    let key: P256PrivateKey
    let leaf: X509Certificate
    let intermediate: X509Certificate
    let root: X509Certificate

    /// The identity in the store, which is made when there is none.
    init(in directory: StoreDirectory, at date: Date) throws(StoreFailure) {
        let path = directory.file(Self.fileName)
        do throws(CryptoError) {
            if !FileManager.default.fileExists(atPath: path) {
                let made = try Self.make(at: date)
                let stored = made.bytes.withUnsafeBytes { bytes in
                    Result { () throws(StoreFailure) in try directory.replace(Self.fileName, with: bytes) }
                }
                if case .failure(let failure) = stored { throw failure.asCryptoError }
                self = made.identity
                return
            }
            let key = try P256PrivateKey(file: path)
            let certificates = try Self.certificates(in: path)
            guard certificates.count == 3, certificates[0].publicKey == key.publicKey else {
                throw CryptoError(.invalidCertificate, "its certificates are not those of its key")
            }
            self.init(key: key, leaf: certificates[0], intermediate: certificates[1], root: certificates[2])
        } catch {
            throw StoreFailure(.notAllowed, "the device key \(path) cannot be used: \(error.reason)")
        }
    }

    private init(
        key: P256PrivateKey, leaf: X509Certificate, intermediate: X509Certificate, root: X509Certificate
    ) {
        (self.key, self.leaf, self.intermediate, self.root) = (key, leaf, intermediate, root)
    }

    private static func certificates(in path: String) throws(CryptoError) -> [X509Certificate] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CryptoError(.unreadableFile, "it cannot be read")
        }
        let begin = "-----BEGIN CERTIFICATE-----"
        var list: [X509Certificate] = []
        for block in text.components(separatedBy: begin).dropFirst() {
            list.append(try X509Certificate(pem: begin + block))
        }
        return list
    }

    private static func make(at date: Date) throws(CryptoError) -> (identity: DeviceIdentity, bytes: SecretBytes) {
        let (rootKey, middleKey) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        let key = try P256PrivateKey.generate()
        // A day back, for clocks that differ; ten years on, which no test store lives.
        let (start, end) = (date.addingTimeInterval(-86_400), date.addingTimeInterval(3_650 * 86_400))
        func issue(
            _ name: String, _ subject: P256PrivateKey, _ issuer: X509Certificate?, _ signer: P256PrivateKey,
            authority: Bool
        ) throws(CryptoError) -> X509Certificate {
            try X509Certificate.issue(
                subject: [("O", "countertop"), ("OU", "test only"), ("CN", name)], publicKey: subject.publicKey,
                issuer: issuer, issuerKey: signer, notBefore: start, notAfter: end, isAuthority: authority)
        }
        let root = try issue("countertop store root", rootKey, nil, rootKey, authority: true)
        let middle = try issue("countertop store intermediate", middleKey, root, rootKey, authority: true)
        let leaf = try issue("countertop store device", key, middle, middleKey, authority: false)
        let certificates = [leaf, middle, root].map { $0.pem() }.joined()
        let pem = key.pkcs8PEM().withUnsafeBytes { SecretBytes(copying: Array($0) + Array(certificates.utf8)) }
        return (DeviceIdentity(key: key, leaf: leaf, intermediate: middle, root: root), pem)
    }
}

extension StoreFailure {
    fileprivate var asCryptoError: CryptoError { CryptoError(.unreadableFile, description) }
}
