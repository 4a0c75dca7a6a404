// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ISO7816
internal import WalletCrypto

/// Key files of both halves.
enum KeyFile {
    /// A private key; the file's name stands before what is wrong with it.
    static func privateKey(_ path: String) throws -> P256PrivateKey {
        do { return try P256PrivateKey(file: path) } catch {
            let mapped = ToolError(error)
            guard mapped.code != CryptoError.Code.unreadableFile.rawValue,
                mapped.code != CryptoError.Code.filePermissions.rawValue
            else { throw mapped }
            throw ToolError(mapped.status, code: mapped.code, "\(path): \(mapped.reason)", hint: mapped.hint)
        }
    }

    /// The public half of whatever is in the file: a private key, a public key, a certificate, or the text of
    /// `encryptionPublicKey`.
    static func publicKey(_ path: String) throws -> P256PublicKey {
        if let key = publicKey(try InputFile.read(path, limit: InputFile.keyLimit)) { return key }
        return try privateKey(path).publicKey
    }

    private static func publicKey(_ bytes: [UInt8]) -> P256PublicKey? {
        if let key = try? P256PublicKey(subjectPublicKeyInfo: bytes) { return key }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        if let key = try? P256PublicKey(pem: text) { return key }
        if let certificate = try? X509Certificate(pem: text) { return certificate.publicKey }
        return publicKey(text: text)
    }

    /// The text of `encryptionPublicKey`, or hex of a point or of a SubjectPublicKeyInfo.
    static func publicKey(text: String) -> P256PublicKey? {
        let text = text.filter { !$0.isWhitespace }
        let candidates = [Data(base64Encoded: text).map(Array.init), try? Hex.decode(text)]
        for bytes in candidates.compactMap({ $0 }) {
            if let key = try? P256PublicKey(subjectPublicKeyInfo: bytes) { return key }
            if let key = try? P256PublicKey(x963: bytes) { return key }
        }
        return nil
    }

    /// Writes a file that only its owner can read, and never over another one.
    static func write(_ secret: SecretBytes, to path: String) throws(ToolError) {
        guard !path.isEmpty else { throw ToolError(.usage, "--output needs a file name") }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            guard errno != EEXIST else {
                throw ToolError(
                    .refused, code: "fileExists", "\(path) exists and is not overwritten",
                    hint: "choose another name with --output")
            }
            throw ToolError(.inputOutput, "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let count = secret.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard count == secret.count, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(path)
            throw ToolError(.inputOutput, "\(path) cannot be written: \(reason)")
        }
    }
}
