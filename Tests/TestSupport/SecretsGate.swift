// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
internal import Synchronization

/// What the tests give to the secrets gate of `make test` (`.ci/gate`): secrets that must not turn up anywhere, and
/// everything the product said. Does nothing when the tests run without the gate.
public enum SecretsGate {
    /// What a secret is.
    public enum Kind: String, Sendable {
        /// Digits of a primary account number.
        case pan
        /// Track 2 as hexadecimal digits, `D` between PAN and the rest.
        case track
        /// A private, symmetric or cryptogram key as hexadecimal digits.
        case key
    }

    private static let folder = ProcessInfo.processInfo.environment["COUNTERTOP_GATE"].map { URL(filePath: $0) }
    private static let lock = Mutex(())

    /// Names a secret.
    public static func register(_ kind: Kind, _ text: String) {
        append("\(kind.rawValue) \(text)\n", to: "registered", name: "secrets")
    }

    /// Names a private key.
    ///
    /// - Parameter pem: a P-256 key as RFC 5915 has it, in PEM; its scalar has 32 bytes from byte 7 on.
    public static func register(sec1 pem: some Collection<UInt8>) {
        let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-") }
        guard let der = Data(base64Encoded: lines.joined()), der.count >= 39 else { return }
        register(.key, der[7..<39].map { String(format: "%02X", $0) }.joined())
    }

    /// Keeps something that the product said.
    ///
    /// - Parameters:
    ///   - channel: `log`, `event`, `error` and the like; part of a file name.
    ///   - text: what was said.
    public static func saw(_ channel: String, _ text: String) {
        append(text.hasSuffix("\n") ? text : text + "\n", to: "seen", name: channel)
    }

    /// Keeps what a run of the tool said, unless it was asked for the clear values of test cards.
    public static func sawTool(_ arguments: [String], output: String, error: String) {
        guard !arguments.contains("--test-cards-only"), !arguments.contains("--unmask") else { return }
        // What it gives to programs is the payload itself.
        if !(arguments.starts(with: ["issuer", "open"]) && arguments.contains("--json")) { saw("tool-output", output) }
        saw("tool-error", error)
    }

    /// Keeps the traces, logs and captures of a folder that is about to go away.
    public static func sawFiles(of url: URL) {
        guard let folder,
            let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
        else { return }
        let wanted: Set = ["apdu", "log", "pcap", "jsonl", "sqlite", "sqlite-wal"]
        for case let file as URL in files where wanted.contains(file.pathExtension) {
            guard let bytes = try? Data(contentsOf: file), bytes.count < 1 << 24 else { continue }
            let copies = folder.appending(path: "seen/files")
            try? FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
            try? bytes.write(to: copies.appending(path: "\(UUID().uuidString)-\(file.lastPathComponent)"))
        }
    }

    /// A logger for everything, down to `trace`.
    public static func logger(_ label: String = "test") -> Logger {
        var logger = Logger(label: label) { _ in GateLogHandler() }
        logger.logLevel = .trace
        return logger
    }

    private static func append(_ text: String, to place: String, name: String) {
        guard let folder else { return }
        let url = folder.appending(path: place)
        lock.withLock { _ in
            try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let path = url.appending(path: "\(name)-\(ProcessInfo.processInfo.processIdentifier)").path()
            if !FileManager.default.fileExists(atPath: path) {
                _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            }
            guard let file = FileHandle(forWritingAtPath: path) else { return }
            defer { try? file.close() }
            _ = try? file.seekToEnd()
            try? file.write(contentsOf: Data(text.utf8))
        }
    }
}

private struct GateLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
        SecretsGate.saw("log", "\(event.message) \(metadata) \(event.metadata ?? [:])")
    }
}
