// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816

extension PaymentCard {
    /// Where a card's object stands: which keys it may have.
    enum Place {
        case phone, plastic, other
    }

    private static let sharedKeys = [
        "network", "label", "pan", "sequenceNumber", "expiry", "formFactor", "cryptogram", "cvn",
        "authentication", "data", "statusWords", "corrupt", "mutate",
    ]
    private static let wholeCardKeys = ["atc", "others", "errorBudget", "statusWordTaps"]
    private static let phoneKeys = ["armed", "armsAtTap", "unarmed", "express", "cdcvm", "par"]
    private static let plasticKeys = ["vasAnswer"]
    /// Keys that stand beside the card, which people look for inside it.
    private static let outerKeys = ["leavesFieldAt", "leavesFieldTaps", "silentAt", "answerDelay", "answer"]

    private static func keys(_ place: Place) -> [String] {
        switch place {
        case .phone: sharedKeys + wholeCardKeys + phoneKeys
        case .plastic: sharedKeys + wholeCardKeys + plasticKeys
        case .other: sharedKeys
        }
    }

    init(json value: PhoneJSON, path: String, place: Place) throws(WalletError) {
        let object = try Self.reader(value, path, place)
        guard let network: PaymentNetwork = try object.choice("network") else {
            throw WalletError(
                .missingKey, "`\(object.place("network"))` is missing",
                hint: "one of \(PaymentNetwork.allCases.map(\.rawValue).joined(separator: ", "))",
                jsonPath: object.place("network"))
        }
        self.init(network)
        try readAccount(object)
        try readBehaviour(object)
        try readState(object)
        try readFaults(object)
        for (index, value) in (try object.array("others") ?? []).enumerated() {
            others.append(try PaymentCard(json: value, path: object.place("others[\(index)]"), place: .other))
        }
    }

    private static func reader(
        _ value: PhoneJSON, _ path: String, _ place: Place
    ) throws(WalletError) -> JSONObjectReader {
        do throws(WalletError) {
            return try JSONObjectReader(value, path: path, known: keys(place))
        } catch {
            guard error.code == .unknownKey, let key = error.jsonPath?.split(separator: ".").last.map(String.init)
            else { throw error }
            var hint = error.hint
            if outerKeys.contains(key) { hint = "it stands beside `\(path)`, not inside" }
            if phoneKeys.contains(key) { hint = "only a phone's paymentCard has it" }
            if plasticKeys.contains(key) { hint = "only a plastic card has it" }
            if place == .other, wholeCardKeys.contains(key) { hint = "it belongs to the card, not to one application" }
            throw WalletError(error.code, error.reason, hint: hint, jsonPath: error.jsonPath)
        }
    }

    private mutating func readAccount(_ object: JSONObjectReader) throws(WalletError) {
        if let text = try object.string("label") {
            guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw object.invalid("label", "is not 1 to 16 printable ASCII characters")
            }
            label = text
        }
        if let digits = try object.string("pan") {
            guard TestCards.contains(pan: digits), (12...19).contains(digits.utf8.count) else {
                throw object.invalid(
                    "pan", "is not a published test number", hint: "leave it out for the network's test card")
            }
            pan = digits
        }
        if let digits = try object.string("sequenceNumber") {
            guard digits.utf8.count == 2, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw object.invalid("sequenceNumber", "is not two digits")
            }
            sequenceNumber = digits
        }
        if let text = try object.string("expiry") {
            guard let month = CardMonth(text) else {
                throw object.invalid("expiry", "is not a month from 1950 to 2049", hint: "such as \"2035-12\"")
            }
            expiry = month
        }
        formFactor = try object.hex("formFactor", count: 4...32)
        counter = UInt16(clamping: try object.integer("atc", in: 0...65_535) ?? 1)
    }

    private mutating func readBehaviour(_ object: JSONObjectReader) throws(WalletError) {
        cryptogram = try object.choice("cryptogram") ?? cryptogram
        authentication = try object.choice("authentication") ?? authentication
        if let number = try object.integer("cvn", in: 0...255) {
            let known = CryptogramVersion.all.filter { $0.network == network }.map { "\($0.number)" }
            guard known.contains("\(number)") else {
                throw object.invalid(
                    "cvn", "is \(number), which \(network.rawValue) cards here do not have",
                    hint: "known here: \(known.joined(separator: ", "))")
            }
            cryptogramVersion = number
        }
        errorBudget = try object.integer("errorBudget", in: 0...1_000_000)
        guard let nested = object.value("data") else { return }
        let table = try JSONObjectReader(nested, path: object.place("data"), known: [], tolerated: nil)
        for name in table.names {
            guard let tag = Self.tag(name), !tag.isConstructed else {
                throw table.invalid(name, "is not the tag of an object", hint: "such as \"9F07\"")
            }
            guard !Self.computed.contains(tag) else {
                throw table.invalid(name, "is computed by the card", hint: "change it on its way with `mutate`")
            }
            data[tag] = try table.hex(name, count: 0...200)
        }
    }

    /// Objects that are different in each transaction, or signatures.
    static let computed: Set<TLVTag> = [0x90, 0x92, 0x93, 0x94, 0x9F26, 0x9F27, 0x9F36, 0x9F46, 0x9F48, 0x9F4B, 0x9F69]

    private static func tag(_ name: String) -> TLVTag? {
        guard let tag = TLVTag(hex: name), let read = try? TLV.read(tag.bytes + [0]), read.count == 1,
            read.first?.tag == tag
        else { return nil }
        return tag
    }

    private mutating func readState(_ object: JSONObjectReader) throws(WalletError) {
        armed = try object.bool("armed") ?? armed
        armsAtTap = try object.integer("armsAtTap", in: 1...1_000_000)
        unarmed = try object.choice("unarmed") ?? unarmed
        express = try object.bool("express") ?? express
        cdcvm = try object.bool("cdcvm") ?? cdcvm
        vasAnswer = try object.statusWord("vasAnswer") ?? vasAnswer
        if let text = try object.string("par") {
            guard text.utf8.count == 29, text.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) }) else {
                throw object.invalid("par", "is not 29 capital letters and digits")
            }
            accountReference = text
        }
    }

    private mutating func readFaults(_ object: JSONObjectReader) throws(WalletError) {
        statusWordTaps = try object.integer("statusWordTaps", in: 0...1_000_000)
        if let nested = object.value("statusWords") {
            statusWords = try PaymentStatusWords(json: nested, path: object.place("statusWords"))
        }
        for (place, value) in object.list("corrupt") {
            guard case .string(let word) = value else {
                throw object.wrongType(place, value, "a word")
            }
            guard let corruption = CardCorruption(rawValue: word) else {
                throw object.invalid(
                    place, "is `\(word)`",
                    hint: JSONObjectReader.hint(for: word, known: CardCorruption.allCases.map(\.rawValue)))
            }
            corrupt.insert(corruption)
        }
        for (place, value) in object.list("mutate") {
            let entry = try JSONObjectReader(value, path: object.place(place), known: ["tag", "value", "remove"])
            guard let tag = Self.tag(try entry.requiredString("tag")) else {
                throw entry.invalid("tag", "is not the tag of an object", hint: "such as \"9F10\"")
            }
            let bytes = try entry.hex("value", count: 0...200)
            guard (bytes == nil) == (try entry.bool("remove") ?? false) else {
                throw entry.invalid("value", "and `remove` exclude each other; one must be there")
            }
            mutate.append(CardMutation(tag, bytes))
        }
    }
}

extension JSONObjectReader {
    /// One value, or several in an array, each with its key.
    fileprivate func list(_ key: String) -> [(String, PhoneJSON)] {
        guard let value = value(key) else { return [] }
        guard case .array(let values) = value else { return [(key, value)] }
        return values.enumerated().map { ("\(key)[\($0.offset)]", $0.element) }
    }
}

extension CardMonth {
    /// `2035-12`.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }), let year = Int(parts[0]),
            let month = Int(parts[1]), (1950...2049).contains(year), (1...12).contains(month)
        else { return nil }
        self.init(year: year, month: month)
    }

    var text: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }

    /// YYMM.
    var yearMonth: String { String(text.filter { $0 != "-" }.dropFirst(2)) }

    /// The month's last day.
    var lastDay: Int {
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}

extension PaymentStatusWords {
    private static var keys: [(String, WritableKeyPath<PaymentStatusWords, StatusWord?>)] {
        [("ppse", \.ppse), ("select", \.select), ("gpo", \.gpo), ("record", \.record), ("generateAC", \.generateAC)]
    }
    static var names: [String] { keys.map(\.0) }

    init(json value: PhoneJSON, path: String) throws(WalletError) {
        let object = try JSONObjectReader(value, path: path, known: Self.names)
        for (name, member) in Self.keys { self[keyPath: member] = try object.statusWord(name) }
    }

    var json: PhoneJSON {
        var members: [String: PhoneJSON] = [:]
        for (name, member) in Self.keys { members[name] = self[keyPath: member].map { .string($0.description) } }
        return .object(members)
    }
}
