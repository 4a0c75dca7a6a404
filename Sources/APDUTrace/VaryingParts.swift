// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import ISO7816

/// The parts of commands and answers that are new at every tap although nothing changed.
///
/// Tags and their use: kormax/apple-vas README; proxmark3 `cmdhfvas.c`.
enum VaryingParts {
    /// 9F28, the terminal's nonce in GET VAS DATA.
    private static let terminalNonce: TLVTag = 0x9F28
    /// 9F24, the phone's nonce in the answer to SELECT OSE.VAS.01.
    private static let deviceNonce: TLVTag = 0x9F24
    /// 9F27, the cryptogram: key id (4, constant), ephemeral key and ciphertext (new each time).
    private static let cryptogram: TLVTag = 0x9F27
    private static let keyIDLength = 4

    /// A command with zero bytes for its varying parts.
    static func blanked(command bytes: [UInt8]) -> [UInt8] {
        guard let command = try? CommandAPDU(bytes), VASCommandMeaning.isGetVASData(command),
            let objects = try? TLV.read(command.data, rules: .lenient)
        else { return bytes }
        return zeroing(bytes, objects.filter { $0.tag == terminalNonce }.map(\.value.indices))
    }

    /// A response with zero bytes for its varying parts, which depend on the command it answers.
    static func blanked(response bytes: [UInt8], to command: [UInt8]) -> [UInt8] {
        guard let command = try? CommandAPDU(command), bytes.count > 2 else { return bytes }
        let data = bytes.dropLast(2)
        if VASCommandMeaning.isGetVASData(command) {
            let values = find(cryptogram, in: data).map { $0.dropFirst(keyIDLength) }
            return zeroing(bytes, values.map(\.indices))
        }
        guard VASCommandMeaning.selectedAID(command) == AID.valueAddedServices.bytes[...] else { return bytes }
        return zeroing(bytes, find(deviceNonce, in: data).map(\.indices))
    }

    /// The values of a tag at the top or inside one template.
    private static func find(_ tag: TLVTag, in data: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        guard let objects = try? TLV.read(data, rules: .lenient) else { return [] }
        let inner = objects.filter(\.tag.isConstructed).flatMap { (try? $0.contents(rules: .lenient)) ?? [] }
        return (objects + inner).filter { $0.tag == tag }.map(\.value)
    }

    private static func zeroing(_ bytes: [UInt8], _ ranges: [Range<Int>]) -> [UInt8] {
        var bytes = bytes
        for range in ranges { bytes.replaceSubrange(range, with: repeatElement(0, count: range.count)) }
        return bytes
    }
}

/// What a command asks for, whatever its form.
enum VASCommandMeaning: Hashable {
    /// SELECT by DF name; P2 and Le do not count.
    case select([UInt8])
    /// GET VAS DATA: P1, P2 and the merchant id 9F25, if any.
    case getVASData(p1: UInt8, p2: UInt8, merchantID: [UInt8]?)
    /// A command whose data are this transaction's: GET PROCESSING OPTIONS, GENERATE AC, COMPUTE CRYPTOGRAPHIC CHECKSUM,
    /// INTERNAL AUTHENTICATE (EMV Book 3, 6.5; Book C-2, 5.2). Amount, date and unpredictable number do not count.
    case transaction(cla: UInt8, ins: UInt8)
    /// Anything else, byte for byte.
    case other([UInt8])

    /// Class and instruction of the commands of a transaction.
    private static let transactionCommands: Set<[UInt8]> = [[0x80, 0xA8], [0x80, 0xAE], [0x80, 0x2A], [0x00, 0x88]]

    init(_ bytes: [UInt8]) {
        guard let command = try? CommandAPDU(bytes) else {
            self = .other(bytes)
            return
        }
        if let aid = Self.selectedAID(command) {
            self = .select(Array(aid))
        } else if Self.isGetVASData(command) {
            let objects = (try? TLV.read(command.data, rules: .lenient)) ?? []
            let isURLOnly = command.p2 == 0
            self = .getVASData(
                p1: command.p1, p2: command.p2,
                merchantID: isURLOnly ? nil : objects.first(0x9F25).map { Array($0.value) })
        } else if Self.transactionCommands.contains([command.cla, command.ins]) {
            self = .transaction(cla: command.cla, ins: command.ins)
        } else {
            self = .other(bytes)
        }
    }

    /// The name in SELECT by DF name (ISO/IEC 7816-4, 11.2.2), nil for other commands.
    static func selectedAID(_ command: CommandAPDU) -> ArraySlice<UInt8>? {
        command.cla == 0x00 && command.ins == 0xA4 && command.p1 == 0x04 ? command.data : nil
    }

    /// `80 CA` with data; the GET DATA of payment cards has none (EMV Book 3, 6.5.7).
    static func isGetVASData(_ command: CommandAPDU) -> Bool {
        command.cla == 0x80 && command.ins == 0xCA && !command.data.isEmpty
    }
}
