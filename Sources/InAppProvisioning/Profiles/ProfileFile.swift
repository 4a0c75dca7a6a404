// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

extension ProcessorProfile {
    /// A profile that a user describes, as JSON with the members `name`, `path`, and, where they differ from the
    /// plain camel-case trio, `title`, `source`, `method`, `body`, `headers`, `certificates`, `nonce`,
    /// `nonceSignature`, `card`, `device`, `constants`, `response`.
    /// - Throws: `invalidProfile` with the member's path and a hint; `invalidJSON`.
    public init(file bytes: [UInt8]) throws(ProvisioningError) {
        var reader = try ProfileFileReader(try JSONValue(reading: bytes), at: "")
        let name = try reader.requiredText("name")
        guard Self.isName(name) else {
            throw ProvisioningError(.invalidProfile, "name has lower-case letters, digits and hyphens only")
        }
        let path = try reader.requiredText("path")
        guard path.hasPrefix("/"), !path.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
            throw ProvisioningError(
                .invalidProfile, "path begins with / and has no blanks", hint: "write /cards/{card}")
        }
        self.init(
            name: name, title: try reader.text("title") ?? name, source: try reader.text("source") ?? "a user's file",
            method: try reader.choice("method", of: ["GET", "POST", "PUT", "PATCH"]) ?? "POST", path: path)
        body = try reader.choice("body") ?? .json
        headers = try reader.constants("headers")
        if let part = try reader.object("certificates") { certificates = try Self.certificates(part) }
        nonce = try Self.field(try reader.object("nonce"), nonce)
        nonceSignature = try Self.field(try reader.object("nonceSignature"), nonceSignature)
        if let part = try reader.object("card") { card = try Self.card(part) }
        if let part = try reader.object("device") { device = try Self.device(part) }
        constants = try reader.constants("constants")
        if let part = try reader.object("response") { response = try Self.response(part) }
        try reader.end()
        try check()
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 40
            && text.unicodeScalars.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".unicodeScalars.contains($0) }
    }

    /// What no single member shows.
    private func check() throws(ProvisioningError) {
        if method == "GET", body != .query {
            throw ProvisioningError(
                .invalidProfile, "A GET request has no body", hint: "write \"body\": \"query\" or another method")
        }
        if path.contains("{card}"), card != nil {
            throw ProvisioningError(
                .invalidProfile, "The card's reference stands in the path and in card", hint: "leave one of them out")
        }
        if certificates.form != .fields, certificates.names.count != 1 {
            throw ProvisioningError(.invalidProfile, "certificates has several names, which the form fields only has")
        }
        if [nonce.encoding, nonceSignature.encoding].contains(where: { $0 == .pem || $0 == .text }) {
            throw ProvisioningError(
                .invalidProfile, "nonce and nonceSignature are bytes, which pem and text cannot carry",
                hint: "write hex, base64 or base64url")
        }
    }

    private static func certificates(_ reader: ProfileFileReader) throws(ProvisioningError) -> CertificateField {
        var reader = reader
        var field = CertificateField()
        if let name = try reader.text("name") { field.names = [name] }
        if let names = try reader.texts("names") { field.names = names }
        field.form = try reader.choice("form") ?? .array
        field.encoding = try reader.choice("encoding") ?? .base64
        try reader.end()
        return field
    }

    private static func field(_ part: ProfileFileReader?, _ usual: Field) throws(ProvisioningError) -> Field {
        guard var reader = part else { return usual }
        let field = Field(
            name: try reader.text("name") ?? usual.name, encoding: try reader.choice("encoding") ?? usual.encoding)
        try reader.end()
        return field
    }

    private static func card(_ reader: ProfileFileReader) throws(ProvisioningError) -> CardField {
        var reader = reader
        let (name, header) = (try reader.text("name"), try reader.text("header"))
        try reader.end()
        switch (name, header) {
        case (let name?, nil): return .body(name)
        case (nil, let header?): return .header(header)
        default: throw ProvisioningError(.invalidProfile, "card has either name or header")
        }
    }

    private static func device(_ reader: ProfileFileReader) throws(ProvisioningError) -> DeviceField {
        var reader = reader
        let field = DeviceField(
            name: try reader.requiredText("name"), phone: try reader.requiredText("phone"),
            watch: try reader.requiredText("watch"))
        try reader.end()
        return field
    }

    private static func response(_ reader: ProfileFileReader) throws(ProvisioningError) -> Response {
        var reader = reader
        var response = Response(nested: try reader.text("nested"))
        response.encryptedPassData = try field(try reader.object("encryptedPassData"), response.encryptedPassData)
        response.activationData = try field(try reader.object("activationData"), response.activationData)
        response.ephemeralPublicKey = try field(try reader.object("ephemeralPublicKey"), response.ephemeralPublicKey)
        for member in try reader.members("networks") {
            var network = try ProfileFileReader(member.value, at: "response.networks.\(member.name)")
            response.networks[member.name.lowercased()] = try network.choice("encoding") ?? .base64
            try network.end()
        }
        response.constants = try reader.constants("constants")
        try reader.end()
        return response
    }
}

extension ProcessorProfile {
    /// The profile as a file that ``init(file:)`` reads, as a start for one's own.
    public func file() -> String {
        var members: [JSONValue.Member] = [
            .init("name", .string(name)), .init("title", .string(title)), .init("source", .string(source)),
            .init("method", .string(method)), .init("path", .string(path)), .init("body", .string(body.rawValue)),
        ]
        if !headers.isEmpty { members.append(.init("headers", .object(headers))) }
        members.append(
            .init(
                "certificates",
                .object([
                    .init("names", .array(certificates.names.map { .string($0) })),
                    .init("form", .string(certificates.form.rawValue)),
                    .init("encoding", .string(certificates.encoding.rawValue)),
                ])))
        members += [.init("nonce", Self.value(nonce)), .init("nonceSignature", Self.value(nonceSignature))]
        switch card {
        case .body(let name): members.append(.init("card", .object([.init("name", .string(name))])))
        case .header(let name): members.append(.init("card", .object([.init("header", .string(name))])))
        case nil: break
        }
        if let device {
            members.append(
                .init(
                    "device",
                    .object([
                        .init("name", .string(device.name)), .init("phone", .string(device.phone)),
                        .init("watch", .string(device.watch)),
                    ])))
        }
        if !constants.isEmpty { members.append(.init("constants", .object(constants))) }
        members.append(.init("response", responseValue))
        return JSONValue.object(members).lines() + "\n"
    }

    private static func value(_ field: Field) -> JSONValue {
        .object([.init("name", .string(field.name)), .init("encoding", .string(field.encoding.rawValue))])
    }

    private var responseValue: JSONValue {
        var members: [JSONValue.Member] = response.nested.map { [.init("nested", .string($0))] } ?? []
        members += [
            .init("encryptedPassData", Self.value(response.encryptedPassData)),
            .init("activationData", Self.value(response.activationData)),
            .init("ephemeralPublicKey", Self.value(response.ephemeralPublicKey)),
        ]
        let networks = response.networks.sorted { $0.key < $1.key }.map { name, encoding in
            JSONValue.Member(name, .object([.init("encoding", .string(encoding.rawValue))]))
        }
        if !networks.isEmpty { members.append(.init("networks", .object(networks))) }
        if !response.constants.isEmpty { members.append(.init("constants", .object(response.constants))) }
        return .object(members)
    }
}
