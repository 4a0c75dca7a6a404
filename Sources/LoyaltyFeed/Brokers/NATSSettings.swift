// SPDX-License-Identifier: Apache-2.0

internal import CNATS
internal import WalletCrypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The option object of libnats.
final class NATSSettings {
    let pointer: OpaquePointer

    init() throws(BrokerError) {
        var options: OpaquePointer?
        let status = natsOptions_Create(&options)
        guard status == NATS_OK, let options else { throw BrokerError(nats: status, "libnats does not start") }
        pointer = options
    }

    deinit { natsOptions_Destroy(pointer) }

    /// Sets everything; what is returned must live as long as the connection.
    func apply(_ options: NATSOptions) throws(BrokerError) -> NATSCredentials? {
        let servers = CStrings(options.servers)
        var pointers = servers.pointers
        let status = withExtendedLifetime(servers) {
            natsOptions_SetServers(pointer, &pointers, Int32(clamping: pointers.count))
        }
        try set("servers", status)
        try set("name", natsOptions_SetName(pointer, options.clientName))
        try set("time-out", natsOptions_SetTimeout(pointer, max(1, options.connectTimeout.wholeMilliseconds)))
        // A connection that is lost is made anew by its owner, who knows what was not acknowledged.
        try set("reconnect", natsOptions_SetAllowReconnect(pointer, false))
        // A server that hangs is found out after three pings.
        try set("ping", natsOptions_SetPingInterval(pointer, 10_000))
        // Without a handler of ours the library writes errors to standard error.
        try set("handler", natsOptions_SetErrorHandler(pointer, { _, _, _, _ in }, nil))
        if options.wantsTLS { try set("TLS", natsOptions_SetSecure(pointer, true)) }
        if let file = options.authorityFile {
            try set("ca_file", natsOptions_LoadCATrustedCertificates(pointer, file))
        }
        return try authenticate(options.authentication)
    }

    private func authenticate(_ authentication: NATSOptions.Authentication) throws(BrokerError) -> NATSCredentials? {
        switch authentication {
        case .none: return nil
        case .password(let user, let password):
            try set("user", password.withText { natsOptions_SetUserInfo(pointer, user, $0) })
        case .token(let token):
            try set("token", token.withText { natsOptions_SetToken(pointer, $0) })
        case .credentials(let text):
            let credentials = try NATSCredentials(text)
            let closure = Unmanaged.passUnretained(credentials).toOpaque()
            try set(
                "credentials",
                natsOptions_SetUserCredentialsCallbacks(
                    pointer, NATSCredentials.giveToken, closure, NATSCredentials.giveSignature, closure))
            return credentials
        }
        return nil
    }

    private func set(_ what: String, _ status: natsStatus) throws(BrokerError) {
        guard status == NATS_OK else {
            let error = BrokerError(nats: status, "the setting \(what) was not taken")
            throw BrokerError(.invalidSetting, error.reason)
        }
    }
}

/// A user's JWT and the seed that signs the server's nonce (docs.nats.io, "Credentials file").
final class NATSCredentials {
    private let token: String
    private let seed: SecretBytes

    /// Reads a `.creds` file's two armoured blocks.
    init(_ text: SecretBytes) throws(BrokerError) {
        let lines = text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.split(whereSeparator: \.isNewline)
        guard let token = Self.block("NATS USER JWT", lines), let seed = Self.block("USER NKEY SEED", lines) else {
            throw BrokerError(
                .invalidSetting, "the credentials file does not hold a user's JWT and seed",
                hint: "make it with `nsc generate creds`")
        }
        (self.token, self.seed) = (token, SecretBytes(copying: Array(seed.utf8)))
    }

    private static func block(_ name: String, _ lines: [Substring]) -> String? {
        guard let begin = lines.firstIndex(where: { $0.contains("BEGIN \(name)-") }) else { return nil }
        return lines[(begin + 1)...].first.map { String($0).trimmed }.flatMap { $0.hasPrefix("-") ? nil : $0 }
    }

    static let giveToken: natsUserJWTHandler = { result, _, closure in
        guard let result, let closure else { return NATS_INVALID_ARG }
        let credentials = Unmanaged<NATSCredentials>.fromOpaque(closure).takeUnretainedValue()
        result.pointee = strdup(credentials.token)
        return result.pointee == nil ? NATS_NO_MEMORY : NATS_OK
    }

    static let giveSignature: natsSignatureHandler = { _, signature, count, nonce, closure in
        guard let closure else { return NATS_INVALID_ARG }
        let credentials = Unmanaged<NATSCredentials>.fromOpaque(closure).takeUnretainedValue()
        return credentials.seed.withText { nats_Sign($0, nonce, signature, count) }
    }
}

extension SecretBytes {
    /// The secret as a C string, overwritten afterwards.
    func withText<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: count + 1)
        buffer.initialize(repeating: 0)
        defer {
            buffer.update(repeating: 0)
            buffer.deallocate()
        }
        withUnsafeBytes { bytes in
            for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
        }
        guard let base = buffer.baseAddress else { return "".withCString(body) }
        return body(UnsafePointer(base))
    }
}
