// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WalletCrypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Which key tokens are checked with.
public enum TokenKeySource: Sendable {
    /// The development key of this machine, made on first use. See ``DevelopmentTokenKey``.
    case development
    /// A key.
    case key(P256PublicKey)
    /// A PEM file that holds a public key, or a certificate.
    case file(String)

    /// The key itself.
    ///
    /// - Throws: `CryptoError` when a file cannot be read or made.
    public func load() throws(CryptoError) -> P256PublicKey {
        switch self {
        case .development: return try DevelopmentTokenKey.load().publicKey
        case .key(let key): return key
        case .file(let path):
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw CryptoError(.unreadableFile, "the token key \(path) cannot be read")
            }
            return try P256PublicKey(pem: text)
        }
    }
}

/// The key that `countertop token` signs with and that a counter checks with when no other is named: so that trying
/// things out needs no set-up. It is worth nothing outside this machine.
public enum DevelopmentTokenKey {
    /// `$XDG_STATE_HOME/countertop/token-key.pem`, in `~/.local/state` when the variable is not set.
    public static func path(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        let state: String
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            state = folder
        } else {
            state = (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state"
        }
        return state + "/countertop/token-key.pem"
    }

    /// The key in the file, which is made (mode 0600) when it is not there. Safe to call from several processes at
    /// once: they all get the same key.
    ///
    /// - Throws: `CryptoError` when the file cannot be read or written, or others may read it.
    public static func load(path: String = path()) throws(CryptoError) -> P256PrivateKey {
        if access(path, F_OK) != 0 { try create(at: path) }
        return try P256PrivateKey(file: path)
    }

    private static func create(at path: String) throws(CryptoError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Written whole under a name of its own, then linked into place: link(2) fails when another was first, and
        // nobody ever sees half a key.
        let draft = "\(path).\(UUID().uuidString)"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("made", path) }
        defer { unlink(draft) }
        let pem = try P256PrivateKey.generate().pkcs8PEM()
        let written = pem.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard close(file) == 0, written == pem.count else { throw failure("written", path) }
        guard link(draft, path) == 0 || errno == EEXIST else { throw failure("put in place", path) }
    }

    private static func failure(_ verb: String, _ path: String) -> CryptoError {
        CryptoError(
            .unreadableFile, "the token key \(path) cannot be \(verb): \(String(cString: strerror(errno)))",
            hint: "set XDG_STATE_HOME to a folder that you may write to, or COUNTERTOP_TOKEN_KEY to a public key")
    }
}
