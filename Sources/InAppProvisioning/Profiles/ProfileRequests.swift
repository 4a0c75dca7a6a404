// SPDX-License-Identifier: Apache-2.0

import ISO7816
import WalletCrypto

extension ProcessorProfile {
    /// The wallet's side: the HTTP request that carries `request` for a card.
    public func encode(_ request: WalletRequest, card: String, device: ProvisioningDevice = .phone) -> ProfileRequest {
        var fields: [(name: String, value: JSONValue)] = []
        if case .body(let name) = self.card { fields.append((name, .string(card))) }
        let leafOnly = certificates.form == .leaf
        let texts = (leafOnly ? Array(request.certificates.prefix(1)) : request.certificates)
            .map { JSONValue.string(certificates.encoding.encode($0)) }
        switch certificates.form {
        case .array: fields.append((certificates.names.first ?? "certificates", .array(texts)))
        case .leaf: fields += zip(certificates.names, texts).map { ($0, $1) }
        case .fields: fields += zip(certificates.names, texts).map { ($0, $1) }
        }
        fields.append((nonce.name, .string(nonce.encoding.encode(request.nonce))))
        fields.append((nonceSignature.name, .string(nonceSignature.encoding.encode(request.nonceSignature))))
        if let field = self.device {
            fields.append((field.name, .string(device == .phone ? field.phone : field.watch)))
        }
        fields += constants.map { ($0.name, $0.value) }
        return assemble(fields, card: card)
    }

    private func assemble(_ fields: [(name: String, value: JSONValue)], card: String) -> ProfileRequest {
        var headers = self.headers.map { ProfileHeader($0.name, $0.value.text ?? "") }
        if case .header(let name) = self.card { headers.append(ProfileHeader(name, card)) }
        let target = path.replacing("{card}", with: URLForm.escape(card))
        var request = ProfileRequest(method: method, target: target, headers: headers)
        let texts = fields.flatMap { field in
            (field.value.elements ?? [field.value]).map { (field.name, $0.text ?? "") }
        }
        switch body {
        case .json:
            var object = JSONValue.object([])
            for field in fields { object.set(field.name.split(separator: "."), to: field.value) }
            request.body = object.utf8
            request.headers.append(ProfileHeader("content-type", "application/json"))
        case .form:
            request.body = Array(URLForm.encode(texts).utf8)
            request.headers.append(ProfileHeader("content-type", "application/x-www-form-urlencoded"))
        case .query:
            request.target += (target.contains("?") ? "&" : "?") + URLForm.encode(texts)
        }
        return request
    }

    /// The back end's side: whether a request with this method and target is this profile's.
    public func matches(method: String, target: String) -> Bool {
        method.uppercased() == self.method && cardInPath(target) != nil
    }

    /// The back end's side: certificates, nonce and signature of a request.
    /// - Throws: `invalidRequest` with the name of the field, never its value; `invalidJSON`.
    public func decode(_ request: ProfileRequest) throws(ProvisioningError) -> IncomingRequest {
        guard request.method.uppercased() == method, let fromPath = cardInPath(request.target) else {
            throw ProvisioningError(
                .invalidRequest, "The request is not one of the profile \(name)", hint: "send \(method) \(path)")
        }
        let fields = try ReceivedFields(request, body)
        let request = WalletRequest(
            certificates: try decodeCertificates(fields), nonce: try decode(nonce, fields),
            nonceSignature: try decode(nonceSignature, fields))
        let card: String? =
            switch self.card {
            case .body(let name): fields.texts(name)?.first
            case .header(let name): fields.header(name)
            case nil: fromPath.isEmpty ? nil : fromPath
            }
        return IncomingRequest(card: card, request: request)
    }

    private func decode(_ field: Field, _ fields: ReceivedFields) throws(ProvisioningError) -> [UInt8] {
        guard let text = fields.texts(field.name)?.first, !text.isEmpty else {
            throw ProvisioningError(.invalidRequest, "The request lacks the text \(field.name)")
        }
        return try decode(text, field.name, field.encoding)
    }

    private func decode(
        _ text: String, _ name: String, _ encoding: BlobEncoding
    ) throws(ProvisioningError) -> [UInt8] {
        guard let bytes = encoding.decode(text) else {
            throw ProvisioningError(
                .invalidRequest, "\(name) is not written in \(encoding.rawValue)",
                hint: BlobEncoding.guesses(text).first.map { "it looks like \($0.rawValue)" })
        }
        return bytes
    }

    private func decodeCertificates(_ fields: ReceivedFields) throws(ProvisioningError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for (index, name) in certificates.names.enumerated() {
            guard let texts = fields.texts(name), !texts.isEmpty else {
                if index > 0 { continue }
                throw ProvisioningError(.invalidRequest, "The request lacks \(name)")
            }
            for text in texts { all.append(try decode(text, name, certificates.encoding)) }
        }
        return all
    }

    /// The card's reference if the path is this profile's; empty when the path has no place for one.
    private func cardInPath(_ target: String) -> String? {
        let wanted = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        let given = target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == given.count else { return nil }
        var card = ""
        for (pattern, part) in zip(wanted, given) where pattern != part {
            guard pattern == "{card}", let text = URLForm.unescape(part.utf8), !text.isEmpty else { return nil }
            card = text
        }
        return card
    }
}

/// The fields of a request, wherever they stand.
private struct ReceivedFields {
    private var json: JSONValue?
    private var fields: [(name: String, value: String)] = []
    private var headers: [ProfileHeader]
    /// The most bytes of a form or a query. JSON has its own limit.
    private static let mostBytes = 262_144

    init(_ request: ProfileRequest, _ body: ProcessorProfile.Body) throws(ProvisioningError) {
        headers = request.headers
        switch body {
        case .json: json = try JSONValue(reading: request.body)
        case .query, .form:
            guard request.body.count <= Self.mostBytes, request.target.utf8.count <= Self.mostBytes else {
                throw ProvisioningError(.invalidRequest, "The request has more bytes than are taken")
            }
            let text = body == .query ? request.query : String(validating: request.body, as: UTF8.self)
            guard let fields = text.flatMap({ URLForm.decode($0) }) else {
                throw ProvisioningError(.invalidRequest, "The fields are not URL-encoded UTF-8")
            }
            self.fields = fields
        }
    }

    /// The text or texts of a field; nil when it is absent or something else.
    func texts(_ name: String) -> [String]? {
        if let json {
            guard let value = json.at(name) else { return nil }
            let texts = (value.elements ?? [value]).map(\.text)
            return texts.contains(nil) ? nil : texts.compactMap { $0 }
        }
        let texts = fields.filter { $0.name == name }.map(\.value)
        return texts.isEmpty ? nil : texts
    }

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
