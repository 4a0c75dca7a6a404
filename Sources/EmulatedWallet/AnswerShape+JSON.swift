// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816

extension AnswerShape {
    private static let keys = [
        "urlOnlyBody", "mobileToken", "omitsMobileToken", "cryptogramFirst", "longFormLength", "unknownTags",
        "chunkSize", "wantsExactLe",
    ]

    init(json value: PhoneJSON, path: String) throws(WalletError) {
        self.init()
        let object = try JSONObjectReader(value, path: path, known: Self.keys)
        urlOnlyBody = try object.hex("urlOnlyBody", count: 0...255) ?? []
        mobileToken = try object.hex("mobileToken", count: 0...255) ?? []
        omitsMobileToken = try object.bool("omitsMobileToken") ?? false
        cryptogramFirst = try object.bool("cryptogramFirst") ?? false
        longFormLength = try object.bool("longFormLength") ?? false
        unknownTags = try object.hex("unknownTags", count: 0...4096) ?? []
        guard (try? TLV.read(unknownTags)) != nil else {
            throw object.invalid("unknownTags", "is not a series of TLVs", hint: "such as \"9F3001AA\"")
        }
        chunkSize = try object.integer("chunkSize", in: 1...255)
        wantsExactLe = try object.bool("wantsExactLe") ?? false
    }

    var json: PhoneJSON {
        var members: [String: PhoneJSON] = [:]
        func set(_ key: String, _ bytes: [UInt8]) { if !bytes.isEmpty { members[key] = .string(Hex.encode(bytes)) } }
        func set(_ key: String, _ flag: Bool) { if flag { members[key] = .bool(true) } }
        set("urlOnlyBody", urlOnlyBody)
        set("mobileToken", mobileToken)
        set("omitsMobileToken", omitsMobileToken)
        set("cryptogramFirst", cryptogramFirst)
        set("longFormLength", longFormLength)
        set("unknownTags", unknownTags)
        if let chunkSize { members["chunkSize"] = .number(Double(chunkSize)) }
        set("wantsExactLe", wantsExactLe)
        return .object(members)
    }
}

extension ForcedStatusWords {
    init(json value: PhoneJSON, path: String) throws(WalletError) {
        self.init()
        let object = try Self.reader(value, path)
        select = try object.statusWord("select")
        getVASData = try object.statusWord("getVASData")
        urlOnly = try object.statusWord("urlOnly")
        guard let nested = object.value("passes") else { return }
        let place = object.place("passes")
        let identifiers = try JSONObjectReader(nested, path: place, known: [], tolerated: nil)
        guard case .object(let members) = nested else { return }
        for identifier in members.keys { passes[identifier] = try identifiers.statusWord(identifier) }
    }

    private static func reader(_ value: PhoneJSON, _ path: String) throws(WalletError) -> JSONObjectReader {
        do throws(WalletError) {
            return try JSONObjectReader(value, path: path, known: ["select", "getVASData", "urlOnly", "passes"])
        } catch {
            guard let key = error.jsonPath?.split(separator: ".").last, PaymentStatusWords.names.contains(String(key))
            else { throw error }
            let hint = "payment commands have theirs in `paymentCard.statusWords`"
            throw WalletError(error.code, error.reason, hint: hint, jsonPath: error.jsonPath)
        }
    }

    var json: PhoneJSON {
        var members: [String: PhoneJSON] = [:]
        func set(_ key: String, _ word: StatusWord?) { if let word { members[key] = .string(word.description) } }
        set("select", select)
        set("getVASData", getVASData)
        set("urlOnly", urlOnly)
        if !passes.isEmpty { members["passes"] = .object(passes.mapValues { .string($0.description) }) }
        return .object(members)
    }
}
