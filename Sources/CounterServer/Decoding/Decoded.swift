// SPDX-License-Identifier: Apache-2.0

package import BERTLV
internal import EMVContactless
package import ISO7816

/// Bytes of a conversation, recognised and taken apart.
package struct Decoded {
    /// What the bytes turned out to be.
    package enum Content {
        case command(CommandAPDU, name: String, [TLVTree])
        case response(ResponseAPDU, [TLVTree])
        case objects([TLVTree])
        case value(DecodedValue)
    }

    /// What the bytes are taken for.
    package enum Kind: String, CaseIterable, Sendable {
        case auto, command, response, tlv
    }

    package let content: Content
    /// Whose meaning the tags have; nil where nothing tells.
    package let context: DecodingContext?
    /// Whether nobody said what the bytes are.
    package let isGuess: Bool
    /// Whether nobody said whose tags they are.
    package let isContextGuess: Bool
    package var mask = CardholderMask.on

    /// - Parameter asked: whose tags they are; nil finds it out.
    package init(_ bytes: [UInt8], as kind: Kind = .auto, in asked: DecodingContext? = nil) throws {
        let content: Content
        switch kind {
        case .command: content = try Self.command(bytes)
        case .response: content = try Self.response(bytes)
        case .tlv: content = .objects(try TLVTree.read(bytes, rules: .lenient))
        case .auto: content = try Self.guess(bytes, asked)
        }
        self.init(content, bytes, asked, isGuess: kind == .auto)
    }

    package init(_ bytes: [UInt8], form: DecodeForm, in asked: DecodingContext? = nil) throws {
        switch form {
        case .frame(let kind): try self.init(bytes, as: kind, in: asked)
        case .status:
            guard bytes.count == 2 else {
                throw DecodeError("wrongLength", "a status word has 2 bytes, not \(bytes.count)")
            }
            try self.init(bytes, as: .response, in: asked)
        case .value(let kind):
            self.init(.value(try DecodedValue(bytes, as: kind, asked: asked)), bytes, asked, isGuess: false)
        }
    }

    private init(_ content: Content, _ bytes: [UInt8], _ asked: DecodingContext?, isGuess: Bool) {
        (self.content, self.isGuess) = (content, isGuess)
        let found = Self.context(of: content, bytes)
        context = Self.refined(asked, by: found)
        isContextGuess = asked == nil && found != nil
    }

    /// `vas` alone does not say which part of the exchange; the bytes do.
    private static func refined(_ asked: DecodingContext?, by found: DecodingContext?) -> DecodingContext? {
        guard case .vas(nil) = asked, case .vas = found else { return asked ?? found }
        return found
    }

    private static func context(of content: Content, _ bytes: [UInt8]) -> DecodingContext? {
        switch content {
        case .command(let command, _, _):
            CommandRow.row(for: bytes)?.context
                ?? (command.ins == 0xA4
                    ? ContextGuess.context(ofApplication: Array(command.data)).map { .payment($0) } : nil)
        case .response(_, let trees), .objects(let trees): ContextGuess.context(of: trees)
        case .value(let value): .payment(value.context)
        }
    }

    /// Everything that may hold cardholder data.
    package var objects: [TLV] {
        switch content {
        case .command(_, _, let trees), .response(_, let trees), .objects(let trees):
            trees.flatMap(ContextGuess.leaves)
        case .value(let value): [value.object]
        }
    }

    private static func command(_ bytes: [UInt8]) throws -> Content {
        let command = try CommandAPDU(bytes)
        let row = CommandRow.row(for: bytes)
        let hasObjects = row?.hasObjects ?? false
        let trees = hasObjects ? try TLVTree.read(Array(command.data), rules: .lenient) : []
        return .command(command, name: row?.name ?? "command", trees)
    }

    private static func response(_ bytes: [UInt8]) throws -> Content {
        let response = try ResponseAPDU(bytes)
        return .response(response, try TLVTree.read(Array(response.data), rules: .lenient))
    }
}

/// Finds out what bytes are.
extension Decoded {
    /// A command by its header; then an answer by a status word that is known; then TLV if every byte belongs to it
    /// and a name is known; then a bare value by its form; then any TLV, then any answer.
    private static func guess(_ bytes: [UInt8], _ asked: DecodingContext?) throws -> Content {
        if CommandRow.row(for: bytes) != nil, let command = try? command(bytes) { return command }
        if bytes.count > 2, let answer = try? response(bytes), endsInKnownStatus(answer) { return answer }
        let trees = bytes.count > 2 ? (try? TLVTree.read(bytes, rules: .lenient)) ?? [] : []
        if !trees.isEmpty, trees.allSatisfy(isKnown) { return .objects(trees) }
        if let value = value(bytes, asked) { return .value(value) }
        if !trees.isEmpty { return .objects(trees) }
        if bytes.count == 2, let response = try? response(bytes) { return response }
        if let answer = try? response(bytes) { return answer }
        return .objects(try TLVTree.read(bytes, rules: .lenient))
    }

    /// Two bytes at the end that could be a TLV are more often a status word.
    private static func endsInKnownStatus(_ content: Content) -> Bool {
        guard case .response(let response, let trees) = content else { return false }
        return response.status.meaning != nil && !trees.isEmpty && trees.allSatisfy(isKnown)
    }

    private static func isKnown(_ tree: TLVTree) -> Bool {
        !TagDictionary.standard.meanings(of: tree.object.tag).isEmpty || TagTable.row(tree.object.tag, in: nil) != nil
    }

    private static func value(_ bytes: [UInt8], _ asked: DecodingContext?) -> DecodedValue? {
        for (name, fits) in shapes where fits(bytes) {
            guard let kind = ValueKind.named(name), let value = try? DecodedValue(bytes, as: kind, asked: asked) else {
                continue
            }
            return value
        }
        return nil
    }

    /// Values that are known by their form, the surest first.
    private static let shapes: [(name: String, fits: @Sendable ([UInt8]) -> Bool)] = [
        ("aid", { bytes in bytes.count >= 5 && ApplicationNames.provider(of: bytes) != nil }),
        ("dol", isList),
        ("track2", { bytes in (try? Track2(bytes)).map { AccountNumber.isLuhnValid($0.pan) } ?? false }),
        ("track1", { bytes in (try? Track1(bytes)) != nil }),
        ("afl", { bytes in (try? ApplicationFileLocator(bytes)) != nil && bytes.count <= 32 }),
        ("cvm", isMethods),
    ]

    /// Two requests or more, of objects that are known, with lengths that they may have.
    @Sendable private static func isList(_ bytes: [UInt8]) -> Bool {
        guard let entries = try? DataObjectList(bytes).entries, entries.count >= 2 else { return false }
        return entries.allSatisfy { entry in
            TagDictionary.standard.meanings(of: entry.tag).contains { $0.lengths.contains(entry.length) }
        }
    }

    @Sendable private static func isMethods(_ bytes: [UInt8]) -> Bool {
        guard let list = try? CardholderVerificationList(bytes) else { return false }
        return list.rules.allSatisfy { !$0.words.contains("RFU") }
    }
}
