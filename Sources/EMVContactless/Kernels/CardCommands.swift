// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// A card's answer; overwritten by ``wipe()`` once its data are kept elsewhere.
struct CardResponse {
    private(set) var data: [UInt8]
    let status: StatusWord

    init(data: [UInt8], status: StatusWord) { (self.data, self.status) = (data, status) }

    mutating func wipe() { data.wipe() }
}

/// The commands of a contactless read, exactly as real cards want them: Le with every case 4 command, no Lc with
/// READ RECORD (EMV Book 3, 6.5; EMV Contactless Book D).
struct CardCommands {
    /// Whole answers: what 61xx announces is fetched, what 6Cxx refuses is repeated.
    private let channel: CompletingChannel<OpenedChannel>

    init(channel: any CardChannel) { self.channel = CompletingChannel(OpenedChannel(base: channel)) }

    /// SELECT by name, first or only occurrence, or the next one.
    func select(_ name: [UInt8], isNext: Bool = false) throws(EMVError) -> CardResponse {
        try exchange(cla: 0x00, ins: 0xA4, p1: 0x04, p2: isNext ? 0x02 : 0x00, data: name)
    }

    /// GET RESPONSE, for what a contact card holds back behind a warning.
    func getResponse() throws(EMVError) -> CardResponse {
        try exchange(cla: 0x00, ins: 0xC0, p1: 0x00, p2: 0x00, data: [])
    }

    /// GET PROCESSING OPTIONS: the PDOL's values in a command template, `8300` without a PDOL.
    func getProcessingOptions(_ values: [UInt8]) throws(EMVError) -> CardResponse {
        let length: [UInt8] = values.count < 128 ? [] : [0x81]
        guard values.count + length.count + 2 <= 255 else {
            throw EMVError(.commandTooLong, "the PDOL asks for \(values.count) bytes, more than one command holds")
        }
        let template = [0x83] + length + [UInt8(truncatingIfNeeded: values.count)] + values
        return try exchange(cla: 0x80, ins: 0xA8, p1: 0x00, p2: 0x00, data: template)
    }

    /// READ RECORD, case 2.
    func readRecord(sfi: UInt8, number: UInt8) throws(EMVError) -> CardResponse {
        try exchange(cla: 0x00, ins: 0xB2, p1: number, p2: sfi << 3 | 4, data: [])
    }

    /// GENERATE AC with the CDOL1's values. `reference`: 00 AAC, 40 TC, 80 ARQC, plus 10 for CDA.
    func generateAC(reference: UInt8, _ values: [UInt8]) throws(EMVError) -> CardResponse {
        guard values.count <= 255 else {
            throw EMVError(.commandTooLong, "the CDOL1 asks for \(values.count) bytes, more than one command holds")
        }
        return try exchange(cla: 0x80, ins: 0xAE, p1: reference, p2: 0x00, data: values)
    }

    /// COMPUTE CRYPTOGRAPHIC CHECKSUM with the UDOL's values (Book C-2, 5.2).
    func computeCryptographicChecksum(_ values: [UInt8]) throws(EMVError) -> CardResponse {
        guard values.count <= 255 else {
            throw EMVError(.commandTooLong, "the UDOL asks for \(values.count) bytes, more than one command holds")
        }
        return try exchange(cla: 0x80, ins: 0x2A, p1: 0x8E, p2: 0x80, data: values)
    }

    private func exchange(
        cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, data: [UInt8]
    ) throws(EMVError) -> CardResponse {
        guard data.count <= 255 else { throw EMVError(.commandTooLong, "a command could not be built") }
        let command = CommandAPDU(shortCla: cla, ins: ins, p1: p1, p2: p2, data: data, ne: 256)
        var bytes: [UInt8]
        do {
            bytes = try channel.transmit(command.bytes)
        } catch {
            throw EMVError(error)
        }
        guard bytes.count >= 2 else {
            // How PC/SC reports a card that left in the middle of a transmit.
            throw EMVError(CardChannelError(.cardGone, reason: "the card answered \(bytes.count) bytes: it left"))
        }
        let status = StatusWord(sw1: bytes[bytes.count - 2], sw2: bytes[bytes.count - 1])
        guard status.sw1 != 0x61 else {
            bytes.wipe()
            throw EMVError(.malformedCardData, "the card offers more and more response bytes")
        }
        // The answer's own memory goes on: there is no copy of it to overwrite.
        bytes.removeLast(2)
        return CardResponse(data: bytes, status: status)
    }
}

/// A channel of a kind that is not known when this is compiled.
private struct OpenedChannel: CardChannel {
    let base: any CardChannel
    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] { try base.transmit(command) }
}
