// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOSSL

/// What every sink over HTTP has in its table.
struct HTTPOptions: Sendable {
    /// The keys, for the types that send over HTTP.
    static let settings = [
        SinkSetting("timeout", .duration, default: .string("15s"), "how long one request may take, 100ms to 2m"),
        SinkSetting("headers", .textTable, "more header fields; NAME_file reads the value from a file"),
        SinkSetting("ca_file", .path, "a PEM file with the authorities to trust instead of the system's"),
        SinkSetting("allow_http", .flag, "permits http:// to other machines"),
        SinkSetting("allow_private", .flag, "permits private and link-local addresses"),
    ]

    var timeout: Duration
    /// Fields whose values stand in the configuration.
    var headers: [(name: String, value: String)]
    /// Fields whose values stand in files: taken as they are, never as templates.
    var secretHeaders: [(name: String, value: String)]
    var allowHTTP: Bool
    var allowPrivate: Bool
    var tls: TLSConfiguration

    init(_ settings: SinkSettings) throws(SettingError) {
        timeout = settings.duration("timeout") ?? .seconds(15)
        guard timeout >= .milliseconds(100), timeout <= .seconds(120) else {
            throw SettingError("timeout", "must be 100ms to 2m")
        }
        (allowHTTP, allowPrivate) = (settings.flag("allow_http"), settings.flag("allow_private"))
        (headers, secretHeaders) = (
            try HeaderFields.read(settings, fromFiles: false), try HeaderFields.read(settings, fromFiles: true)
        )
        tls = .makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let path = settings.path("ca_file") {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            } catch {
                throw SettingError(
                    "ca_file", "no certificates can be read from \(path)",
                    hint: "it must be a PEM file with CERTIFICATE blocks")
            }
        }
    }
}

/// Header fields from a table.
enum HeaderFields {
    /// What is ours to say, in lower case.
    static let reserved: Set<String> = [
        "connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding", "upgrade",
        WebhookSignature.idField, WebhookSignature.timestampField, WebhookSignature.signatureField,
    ]

    static func read(
        _ settings: SinkSettings, fromFiles: Bool
    ) throws(SettingError) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for (key, value) in settings.textTable("headers") where key.hasSuffix("_file") == fromFiles {
            let isFile = fromFiles
            let name = isFile ? String(key.dropLast("_file".count)) : key
            guard isToken(name), !reserved.contains(name.lowercased()) else {
                throw SettingError("headers", "\(name) is no header field that can be set")
            }
            let text = isFile ? try secret(settings, name, value) : value
            guard isValue(text) else {
                throw SettingError("headers", "the value of \(name) has characters no field may have")
            }
            fields.append((name, text))
        }
        return fields
    }

    private static func secret(
        _ settings: SinkSettings, _ name: String, _ path: String
    ) throws(SettingError) -> String {
        let bytes = try settings.context.readSecret("headers", path)
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A name (RFC 9110, 5.6.2).
    static func isToken(_ name: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !name.isEmpty
            && name.utf8.allSatisfy {
                marks.contains($0) || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                    || (0x61...0x7A).contains($0)
            }
    }

    /// A value (RFC 9110, 5.5): printable ASCII and blanks.
    static func isValue(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
}
