// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816

/// Keys of the document, by the property they set.
private enum Key: String, CaseIterable {
    case wallet, passes, locked, authenticated, unlocksAtTap, tapAuthenticates, paymentAuthenticated, onePassPerTap
    case chosenPass, alreadyRead, receivedURLs, applicationVersion, mobileCapabilities, cryptoMethod
    case answerDelay, leavesFieldAt, leavesFieldTaps, silentAt, answer, statusWords, paymentCard, plastic

    static let names = allCases.map(\.rawValue)
    /// Keys beside `plastic`.
    static let plasticNames = [plastic, answerDelay, leavesFieldAt, leavesFieldTaps, silentAt, answer].map(\.rawValue)
}

extension PhoneDefinition: Codable {
    /// Reads the document; errors are ``WalletError``.
    public init(from decoder: any Decoder) throws { try self.init(json: PhoneJSON(from: decoder)) }

    /// Writes the document; keys with their default value are left out.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// Reads a document: a phone, or a single pass.
    ///
    /// - Parameter bytes: UTF-8 JSON.
    public init(json bytes: [UInt8]) throws(WalletError) { try self.init(json: PhoneJSON(parsing: bytes)) }

    init(json value: PhoneJSON) throws(WalletError) {
        if case .object(let members) = value, members["passTypeIdentifier"] != nil, members["passes"] == nil {
            self.init(passes: [try Pass(json: value, path: "")])
            return
        }
        self.init()
        let object = try Self.reader(value)
        if let nested = object.value("plastic") {
            plastic = try PaymentCard(json: nested, path: "plastic", place: .plastic)
        }
        try readPasses(object)
        try readState(object)
        try readPayment(object)
        try readFaults(object)
        try checkNames(object)
        if let nested = object.value("answer") { answer = try AnswerShape(json: nested, path: "answer") }
        if let nested = object.value("statusWords") {
            statusWords = try ForcedStatusWords(json: nested, path: "statusWords")
        }
    }

    /// A phone's keys, or a plastic card's.
    private static func reader(_ value: PhoneJSON) throws(WalletError) -> JSONObjectReader {
        guard case .object(let members) = value, members["plastic"].map({ $0 != .null }) ?? false else {
            return try JSONObjectReader(value, path: "", known: Key.names)
        }
        do throws(WalletError) {
            return try JSONObjectReader(value, path: "", known: Key.plasticNames)
        } catch {
            guard let key = error.jsonPath, Key.names.contains(key) else { throw error }
            throw WalletError(
                error.code, "`\(key)` is a phone's, and this is a plastic card", hint: "remove it, or remove `plastic`",
                jsonPath: key)
        }
    }

    private mutating func readPayment(_ object: JSONObjectReader) throws(WalletError) {
        let authenticated = try object.bool("paymentAuthenticated")
        if let nested = object.value("paymentCard") {
            let card = try PaymentCard(json: nested, path: "paymentCard", place: .phone)
            let armed = try JSONObjectReader(nested, path: "paymentCard", known: [], tolerated: nil).bool("armed")
            if let authenticated, let armed, authenticated != armed {
                throw object.invalid(
                    "paymentAuthenticated", "contradicts `paymentCard.armed`", hint: "keep one of them")
            }
            paymentCard = card
        }
        if let authenticated { paymentAuthenticated = authenticated }
    }

    private mutating func readPasses(_ object: JSONObjectReader) throws(WalletError) {
        for (index, value) in (try object.array(Key.passes.rawValue) ?? []).enumerated() {
            passes.append(try Pass(json: value, path: "passes[\(index)]"))
        }
    }

    private mutating func readState(_ object: JSONObjectReader) throws(WalletError) {
        wallet = try object.choice("wallet") ?? wallet
        locked = try object.bool("locked") ?? locked
        authenticated = try object.bool("authenticated")
        unlocksAtTap = try object.integer("unlocksAtTap", in: 1...1_000_000)
        tapAuthenticates = try object.bool("tapAuthenticates") ?? tapAuthenticates
        onePassPerTap = try object.bool("onePassPerTap") ?? onePassPerTap
        chosenPass = try object.string("chosenPass")
        alreadyRead = try object.strings("alreadyRead") ?? []
        receivedURLs = try object.strings("receivedURLs") ?? []
        applicationVersion = try object.hex("applicationVersion", count: 2...2) ?? applicationVersion
        mobileCapabilities = try object.hex("mobileCapabilities", count: 4...4)
        if let number = try object.integer("cryptoMethod", in: 1...2) {
            cryptoMethod = SealingMethod(rawValue: number) ?? .method1
        }
    }

    private mutating func readFaults(_ object: JSONObjectReader) throws(WalletError) {
        answerDelay = try object.integer("answerDelay", in: 0...600_000) ?? 0
        leavesFieldAt = try object.integer("leavesFieldAt", in: 1...1_000_000)
        leavesFieldTaps = try object.integer("leavesFieldTaps", in: 0...1_000_000)
        silentAt = try object.integer("silentAt", in: 1...1_000_000)
    }

    /// Names of passes must be names of passes.
    private func checkNames(_ object: JSONObjectReader) throws(WalletError) {
        let known = passes.flatMap { [$0.passTypeIdentifier, $0.serialNumber].compactMap { $0 } }
        let named =
            (chosenPass.map { [("chosenPass", $0)] } ?? [])
            + alreadyRead.enumerated().map { ("alreadyRead[\($0.offset)]", $0.element) }
        for (key, name) in named where !known.contains(name) {
            let hint = known.isEmpty ? "the wallet has no passes" : JSONObjectReader.hint(for: name, known: known)
            throw object.invalid(key, "names no pass of this wallet: `\(name)`", hint: hint)
        }
    }
}

extension PhoneDefinition {
    /// The document that reads back as this definition.
    var json: PhoneJSON {
        let plain = PhoneDefinition()
        var members: [String: PhoneJSON] = plastic == nil ? ["passes": .array(passes.map(\.json))] : [:]
        func set(_ key: Key, _ value: PhoneJSON, unless isDefault: Bool) {
            if !isDefault { members[key.rawValue] = value }
        }
        func set(_ key: Key, _ value: Int?) { set(key, .number(Double(value ?? 0)), unless: value == nil) }
        set(.wallet, .string(wallet.rawValue), unless: wallet == plain.wallet)
        set(.locked, .bool(locked), unless: !locked)
        set(.authenticated, .bool(authenticated ?? true), unless: authenticated == nil)
        set(.unlocksAtTap, unlocksAtTap)
        set(.tapAuthenticates, .bool(tapAuthenticates), unless: tapAuthenticates)
        set(.paymentAuthenticated, .bool(paymentAuthenticated), unless: !paymentAuthenticated || paymentCard != nil)
        set(.paymentCard, paymentCard?.json ?? .null, unless: paymentCard == nil)
        set(.plastic, plastic?.json ?? .null, unless: plastic == nil)
        set(.onePassPerTap, .bool(onePassPerTap), unless: !onePassPerTap)
        set(.chosenPass, .string(chosenPass ?? ""), unless: chosenPass == nil)
        set(.alreadyRead, .array(alreadyRead.map { .string($0) }), unless: alreadyRead.isEmpty)
        set(.receivedURLs, .array(receivedURLs.map { .string($0) }), unless: receivedURLs.isEmpty)
        set(
            .applicationVersion, .string(Hex.encode(applicationVersion)),
            unless: applicationVersion == plain.applicationVersion)
        set(.mobileCapabilities, .string(Hex.encode(mobileCapabilities ?? [])), unless: mobileCapabilities == nil)
        set(.cryptoMethod, .number(Double(cryptoMethod.rawValue)), unless: cryptoMethod == plain.cryptoMethod)
        set(.answerDelay, .number(Double(answerDelay)), unless: answerDelay == 0)
        set(.leavesFieldAt, leavesFieldAt)
        set(.leavesFieldTaps, leavesFieldTaps)
        set(.silentAt, silentAt)
        set(.answer, answer.json, unless: answer == plain.answer)
        set(.statusWords, statusWords.json, unless: statusWords == plain.statusWords)
        return .object(members)
    }
}
