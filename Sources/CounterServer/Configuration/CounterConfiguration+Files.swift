// SPDX-License-Identifier: Apache-2.0

public import AppleVAS
internal import EmulatedWallet
internal import Foundation
public import LoyaltyFeed
internal import ProximityReader
public import WalletCrypto

/// What stands in the files that the settings name. Each call reads them anew.
extension CounterConfiguration {
    /// The keys that open passes.
    public func keyRing() throws(ConfigurationError) -> VASKeyRing {
        var ring = VASKeyRing()
        var problems: [ConfigurationError.Problem] = []
        for (index, pass) in passes.enumerated() {
            ring.prepare(passTypeIdentifier: pass.id)
            for path in pass.keys {
                let setting = pass.keys.count == 1 && sources.has("pass[\(index)].key") ? "key" : "keys"
                let key = "pass[\(index)].\(setting)"
                do throws(ConfigurationError) {
                    let bytes = try readSecret(path, key: key)
                    ring.add(
                        try wording(key, path) { () throws(CryptoError) in try P256PrivateKey(reading: bytes) },
                        passTypeIdentifier: pass.id)
                } catch { problems += error.problems }
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        return ring
    }

    /// The payment provider's public key: PEM, DER, or a certificate; nil when none is set.
    public func pspPublicKey() throws(ConfigurationError) -> P256PublicKey? {
        guard let path = counter.pspKey else { return nil }
        let bytes = try read(path, key: "counter.psp_key")
        if let key = try? P256PublicKey(subjectPublicKeyInfo: bytes) { return key }
        return try wording("counter.psp_key", path) { () throws(CryptoError) in
            try P256PublicKey(pem: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The bearer tokens; empty when no file is set. Lines that are empty or begin with `#` are none.
    public func bearerTokens() throws(ConfigurationError) -> [SecretBytes] {
        guard let path = http.tokenFile else { return [] }
        let lines = String(decoding: try readSecret(path, key: "http.token_file"), as: UTF8.self)
            .split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        let tokens = lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        guard !tokens.isEmpty else { throw sources.error("http.token_file", "\(path) holds no token") }
        guard tokens.allSatisfy({ $0.utf8.count >= Self.shortestToken }) else {
            throw sources.error(
                "http.token_file", "a token in \(path) has fewer than \(Self.shortestToken) characters",
                hint: "make one: openssl rand -hex 32")
        }
        return tokens.map { SecretBytes(copying: $0.utf8) }
    }

    /// Shorter tokens can be guessed.
    private static let shortestToken = 16

    /// The certificate with its key; nil when none is set.
    public func serverIdentity() throws(ConfigurationError) -> ServerIdentity? {
        guard let certificate = http.tlsCertificate, let key = http.tlsKey else { return nil }
        let identity = ServerIdentity(
            certificates: try read(certificate, key: "http.tls_certificate"),
            key: try readSecret(key, key: "http.tls_key"))
        var settings = ServerSettings()
        settings.identity = identity
        do throws(ServerError) {
            _ = try HTTPService(settings, onTimeout: { _ in }, responder: { _, _, _ in })
        } catch { throw sources.error("http.tls_certificate", error.reason, hint: error.hint) }
        return identity
    }

    /// What sinks are made with.
    public var sinkContext: SinkContext {
        let paths = sources.paths ?? ConfigurationFile.paths(of: nil, [:])
        return SinkContext(
            counterID: counter.id, tenant: counter.tenant, store: counter.store,
            resolvePath: { paths.path($0, in: paths.folder) },
            readSecret: { (key, path) throws(SettingError) in
                do throws(ConfigurationFile.Failure) {
                    return try ConfigurationFile.secret(
                        paths.secret(path, in: paths.folder), credentials: paths.credentials)
                } catch { throw SettingError(key, error.reason, hint: error.hint) }
            })
    }

    /// The sinks, in the order of the file, ready to deliver; no connection is opened.
    public func makeSinks() throws(ConfigurationError) -> [any Sink] {
        var made: [any Sink] = []
        var problems: [ConfigurationError.Problem] = []
        for (index, table) in sinks.enumerated() {
            do throws(SettingError) { made.append(try SinkFactory.make(table, sinkContext)) } catch {
                let isOpen = error.hint?.contains("chmod") ?? false
                problems +=
                    sources.error(
                        "sink[\(index)].\(error.key)", error.reason, hint: error.hint,
                        code: isOpen ? .filePermissions : .invalidValue
                    ).problems
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        return made
    }

    /// Everything that is wrong with the files that the settings name.
    public func fileProblems() -> [ConfigurationError.Problem] {
        let problems =
            Self.problems { () throws(ConfigurationError) in try checkReader() }
            + Self.problems { () throws(ConfigurationError) in _ = try pspPublicKey() }
            + Self.problems { () throws(ConfigurationError) in _ = try keyRing() }
            + Self.problems { () throws(ConfigurationError) in _ = try bearerTokens() }
            + Self.problems { () throws(ConfigurationError) in _ = try serverIdentity() }
            + Self.problems { () throws(ConfigurationError) in _ = try makeSinks() }
        return problems.inOrder
    }

    private static func problems(
        _ check: () throws(ConfigurationError) -> Void
    ) -> [ConfigurationError.Problem] {
        do throws(ConfigurationError) {
            try check()
            return []
        } catch { return error.problems }
    }

    private func checkReader() throws(ConfigurationError) {
        switch counter.reader {
        case .emulated(let file):
            do throws(WalletError) { _ = try PhoneDefinition.load(path: file) } catch {
                throw sources.error("counter.reader", error.reason, hint: error.hint)
            }
        case .replay(let file): _ = try read(file, key: "counter.reader")
        default: break
        }
    }
}

extension CounterConfiguration {
    /// The bytes of a file that only the service can read.
    private func readSecret(_ path: String, key: String) throws(ConfigurationError) -> [UInt8] {
        do throws(ConfigurationFile.Failure) {
            return try ConfigurationFile.secret(path, credentials: sources.paths?.credentials)
        } catch { throw sources.error(key, error.reason, hint: error.hint, code: error.code) }
    }

    /// The bytes of a file that anybody may read.
    private func read(_ path: String, key: String) throws(ConfigurationError) -> [UInt8] {
        do throws(ConfigurationFile.Failure) {
            return try ConfigurationFile.bytes(path, limit: ConfigurationFile.secretLimit) { _ in nil }
        } catch { throw sources.error(key, error.reason, hint: error.hint, code: error.code) }
    }

    private func wording<Value>(
        _ key: String, _ path: String, _ body: () throws(CryptoError) -> Value
    ) throws(ConfigurationError) -> Value {
        do throws(CryptoError) { return try body() } catch {
            throw sources.error(key, "\(path): \(error.reason)", hint: error.hint)
        }
    }
}

extension ConfigurationSources {
    /// Whether the setting has a value.
    func has(_ key: String) -> Bool { settings.contains { $0.key == key } }

    /// Where a setting got its value, else where its table stands.
    func origin(of key: String) -> SettingOrigin {
        if let found = settings.first(where: { $0.key == key })?.origin, found != .fallback { return found }
        guard let file else { return .fallback }
        let place = outline.place(of: key)
        return .file(file, line: place?.line, column: place?.column)
    }

    /// A fault of one setting.
    func error(
        _ key: String, _ reason: String, hint: String? = nil, code: ConfigurationError.Code = .invalidValue
    ) -> ConfigurationError {
        ConfigurationError([.init(code, at: origin(of: key), key: key, reason, hint: hint)])
    }
}
