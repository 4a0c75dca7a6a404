// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import ISO7816

/// Collects what a recorded exchange shows: directory, application, card data.
///
/// For explaining and checking transcripts; lenient, never fails. Objects of the payment directory are kept apart from
/// those of the application. Later values replace earlier ones.
public struct TranscriptDecoder: Sendable {
    /// What the card handed out.
    public let data = CardData()
    /// Entries of the payment directory (PPSE), in the card's order.
    public private(set) var directory: [DirectoryEntry] = []
    /// Name of the last application selected, tag 84.
    public private(set) var application: [UInt8]?
    /// How GET PROCESSING OPTIONS answered last.
    public private(set) var processingOptionsFormat: ResponseFormat?

    /// Nothing seen yet.
    public init() {}

    /// Takes one exchange. An empty command stands for an unknown one.
    public mutating func observe(command: [UInt8], response: [UInt8]) {
        guard let answer = try? ResponseAPDU(response), answer.status == .success else { return }
        let apdu = try? CommandAPDU(command)
        guard let trees = try? TLVTree.read(Array(answer.data), rules: .lenient) else { return }
        for tree in trees where !isDirectory(tree) { take(tree, instruction: apdu?.ins) }
    }

    /// Keeps the entries of a PPSE or PSE; nothing of it belongs to an application.
    private mutating func isDirectory(_ tree: TLVTree) -> Bool {
        let name = tree.object.tag == 0x6F ? tree.children.first { $0.object.tag == 0x84 }?.object.bytes : nil
        let isRecordOfDirectory = tree.object.tag == 0x70 && tree.children.contains { $0.object.tag == 0x61 }
        guard let name else { return isRecordOfDirectory }
        if name == AID.proximityPaymentSystem.bytes {
            let entries = tree.children.flatMap(\.children).flatMap(\.children).filter { $0.object.tag == 0x61 }
            directory = entries.compactMap { DirectoryEntry($0.object) }
            return true
        }
        // `1PAY.SYS.DDF01`, the contact directory (EMV Book 1, 12.2.1).
        return name == Array("1PAY.SYS.DDF01".utf8)
    }

    private mutating func take(_ tree: TLVTree, instruction: UInt8?) {
        if tree.object.tag == 0x80, let instruction, take(format1: tree.object.bytes, instruction: instruction) {
            return
        }
        if tree.object.tag == 0x77, instruction == 0xA8 { processingOptionsFormat = .format2 }
        takeLeaves(tree)
    }

    private mutating func takeLeaves(_ tree: TLVTree) {
        guard !tree.object.tag.isConstructed else {
            for child in tree.children { takeLeaves(child) }
            return
        }
        data.set(tree.object.tag, tree.object.value)
        if tree.object.tag == 0x84 { application = tree.object.bytes }
    }

    /// Format 1 has places instead of tags.
    private mutating func take(format1 value: [UInt8], instruction: UInt8) -> Bool {
        switch instruction {
        case 0xA8 where value.count >= 2:
            processingOptionsFormat = .format1
            data.set(0x82, value.prefix(2))
            if value.count > 2 { data.set(0x94, value.dropFirst(2)) }
        case 0xAE where value.count >= 11:
            data.set(0x9F27, value.prefix(1))
            data.set(0x9F36, value[1..<3])
            data.set(0x9F26, value[3..<11])
            if value.count > 11 { data.set(0x9F10, value[11...]) }
        default: return false
        }
        return true
    }
}
