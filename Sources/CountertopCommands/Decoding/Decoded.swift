// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import BERTLV
internal import ISO7816

/// Bytes of a conversation, recognised and taken apart.
enum Decoded {
    case command(CommandAPDU, name: String, [TLVTree], TagContext?)
    case response(ResponseAPDU, [TLVTree], TagContext?)
    case objects([TLVTree], TagContext?)

    /// What the bytes are taken for.
    enum Kind: String, CaseIterable, Sendable {
        case auto, command, response, tlv
    }

    init(_ bytes: [UInt8], as kind: Kind = .auto) throws {
        switch kind {
        case .command: self = try Self.command(bytes)
        case .response: self = try Self.response(bytes)
        case .tlv: self = Self.objects(try TLVTree.read(bytes, rules: .lenient))
        case .auto: self = try Self.guess(bytes)
        }
    }

    /// A command by its header; then an answer by a status word that is known; then TLV if every byte belongs to it;
    /// then any answer.
    private static func guess(_ bytes: [UInt8]) throws -> Decoded {
        if commandNames.contains(where: { bytes.starts(with: $0.header) }), let command = try? command(bytes) {
            return command
        }
        if bytes.count > 2, let answer = try? response(bytes), answer.endsInKnownStatus { return answer }
        if bytes.count > 2, let trees = try? TLVTree.read(bytes, rules: .lenient), !trees.isEmpty {
            return objects(trees)
        }
        if let response = try? response(bytes) { return response }
        return objects(try TLVTree.read(bytes, rules: .lenient))
    }

    /// Commands by their first bytes (ISO/IEC 7816-4, 11.2.2; kormax/apple-vas README).
    private static let commandNames: [(header: [UInt8], name: String, context: TagContext?)] = [
        ([0x00, 0xA4, 0x04, 0x00], "SELECT", nil),
        ([0x80, 0xCA, 0x01, 0x01], "GET VAS DATA", .getVASDataCommand),
        ([0x80, 0xCA, 0x01, 0x00], "GET VAS DATA (URL only)", .getVASDataCommand),
        ([0x00, 0xC0], "GET RESPONSE", nil),
    ]

    private static func command(_ bytes: [UInt8]) throws -> Decoded {
        let command = try CommandAPDU(bytes)
        let known = commandNames.first { bytes.starts(with: $0.header) }
        let isVAS = known?.context == .getVASDataCommand
        let trees = isVAS ? try TLVTree.read(Array(command.data), rules: .lenient) : []
        return .command(command, name: known?.name ?? "command", trees, known?.context)
    }

    private static func response(_ bytes: [UInt8]) throws -> Decoded {
        let response = try ResponseAPDU(bytes)
        let trees = try TLVTree.read(Array(response.data), rules: .lenient)
        return .response(response, trees, context(of: trees))
    }

    /// Two bytes at the end that could be a TLV are more often a status word.
    private var endsInKnownStatus: Bool {
        guard case .response(let response, let trees, _) = self else { return false }
        return VASStatus(response.status).source != nil && !trees.isEmpty
    }

    private static func objects(_ trees: [TLVTree]) -> Decoded { .objects(trees, context(of: trees)) }

    private static func context(of trees: [TLVTree]) -> TagContext? {
        switch trees.first?.object.tag {
        case 0x6F: .selectAnswer
        case 0x70: .getVASDataAnswer
        default: nil
        }
    }
}
