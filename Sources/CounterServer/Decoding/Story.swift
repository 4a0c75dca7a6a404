// SPDX-License-Identifier: Apache-2.0

package import APDUTrace
package import AppleVAS
internal import BERTLV
package import EMVContactless
internal import ISO7816

/// A tap told step by step.
package struct Story {
    /// One command with its answer.
    package struct Step {
        package let exchange: TraceExchange
        /// Whether the card left instead of answering.
        package let isLost: Bool
        package let command: Decoded?
        /// The terminal's data in the command, by the list that the card gave.
        package let terminalData: Decoded?
        package let response: Decoded?
        package let name: String
    }

    /// What the phone said to one request for a pass.
    package struct PassAnswer {
        /// nil for a request without a merchant id (URL only).
        package let merchantID: [UInt8]?
        package let status: VASStatus
        package let hasData: Bool
    }

    package let steps: [Step]
    /// The wallet's name, when one answered.
    package let wallet: String?
    package let passes: [PassAnswer]
    /// How a payment read of this tap ends, nil where there is none in it.
    package let payment: PaymentReplay?

    /// All times that were measured, in milliseconds.
    package var milliseconds: Int? {
        let times = steps.compactMap(\.exchange.milliseconds)
        return times.isEmpty ? nil : times.reduce(0) { $0 + min($1, 86_400_000) }
    }

    package init(_ tap: APDUTrace.Tap, authorities: AuthorityKeys = AuthorityKeys(), isRedacted: Bool = false) {
        var teller = StoryTeller()
        var steps = tap.exchanges.map { teller.step($0, isLost: false) }
        if let lost = tap.lost {
            steps.append(
                teller.step(
                    TraceExchange(command: lost.command, response: [], comments: lost.comments), isLost: true))
        }
        (self.steps, wallet, passes) = (steps, teller.wallet, teller.passes)
        payment = PaymentReplay(tap, authorities: authorities, isRedacted: isRedacted)
    }
}

extension Story {
    /// `SELECT OSE.VAS.01`
    static func name(_ command: [UInt8]) -> String {
        let words = (try? CommandAPDU(command))?.parameterWords.map { " \($0)" } ?? ""
        return (CommandRow.row(for: command)?.name ?? "command \(Hex.encode(command.prefix(4)))") + words
    }
}

/// Follows a conversation: which application is selected, which lists it gave.
private struct StoryTeller {
    private(set) var wallet: String?
    private(set) var passes: [Story.PassAnswer] = []
    private var context: DecodingContext?
    private var lists: [TLVTag: [UInt8]] = [:]

    mutating func step(_ exchange: TraceExchange, isLost: Bool) -> Story.Step {
        let apdu = try? CommandAPDU(exchange.command)
        let status = (try? ResponseAPDU(exchange.response))?.status
        if let apdu { selects(apdu, status) }
        let isPass = apdu.map { $0.cla == 0x80 && $0.ins == 0xCA && !$0.data.isEmpty } ?? false
        let command = try? Decoded(exchange.command, as: .command, in: isPass ? nil : context)
        let terminalData = apdu.flatMap(terminalData)
        // A bare status says nothing of its own about whose it is.
        let response = isLost ? nil : try? Decoded(exchange.response, as: .response, in: context)
        observe(exchange.response)
        if isPass, let apdu, let status { passes.append(Self.answer(apdu, exchange.response, status)) }
        return Story.Step(
            exchange: exchange, isLost: isLost, command: command, terminalData: terminalData, response: response,
            name: Story.name(exchange.command))
    }

    private mutating func selects(_ command: CommandAPDU, _ status: StatusWord?) {
        guard command.ins == 0xA4, command.p1 == 0x04, let status, [0x61, 0x62, 0x63, 0x90].contains(status.sw1) else {
            return
        }
        lists = [:]
        let name = Array(command.data)
        if name == AID.valueAddedServices.bytes {
            context = .vas(.selectAnswer)
        } else {
            context = .payment(ContextGuess.context(ofApplication: name) ?? .emv)
        }
    }

    private mutating func observe(_ response: [UInt8]) {
        guard response.count > 2, let trees = try? TLVTree.read(Array(response.dropLast(2)), rules: .lenient) else {
            return
        }
        for object in trees.flatMap(ContextGuess.leaves) {
            if [0x9F38, 0x8C, 0x8D, 0x9F49, 0x9F69].contains(object.tag) { lists[object.tag] = object.bytes }
            if context == .vas(.selectAnswer), object.tag == 0x50 {
                wallet = Printable.text(String(decoding: object.value, as: UTF8.self))
            }
        }
        // After its SELECT the wallet answers for passes.
        if context == .vas(.selectAnswer) { context = .vas(.getVASDataAnswer) }
    }

    /// The values of GET PROCESSING OPTIONS and GENERATE AC, with their tags.
    private func terminalData(_ command: CommandAPDU) -> Decoded? {
        let rows: [UInt8: [TLVTag]] = [0xA8: [0x9F38], 0xAE: [0x8C, 0x8D], 0x88: [0x9F49], 0x2A: [0x9F69]]
        guard let tags = rows[command.ins] else { return nil }
        var data = Array(command.data)
        if command.ins == 0xA8 {
            guard let template = try? TLV.read(data, rules: .lenient).first, template.tag == 0x83 else { return nil }
            data = template.bytes
        }
        for tag in tags {
            guard let list = lists[tag].flatMap({ try? DataObjectList($0) }), list.dataLength == data.count,
                !data.isEmpty
            else { continue }
            var start = 0
            let objects = TLVBuilder.build { builder in
                for entry in list.entries {
                    builder.append(entry.tag, data[start..<start + entry.length])
                    start += entry.length
                }
            }
            return try? Decoded(objects, as: .tlv, in: context)
        }
        return nil
    }

    private static func answer(_ command: CommandAPDU, _ response: [UInt8], _ status: StatusWord) -> Story.PassAnswer {
        let asked = (try? TLV.read(Array(command.data), rules: .lenient)) ?? []
        let data = (try? TLVTree.read(Array(response.dropLast(2)), rules: .lenient)) ?? []
        let objects = data.flatMap(ContextGuess.leaves)
        return Story.PassAnswer(
            merchantID: command.p2 == 0 ? nil : asked.first(0x9F25)?.bytes, status: VASStatus(status),
            hasData: objects.contains { $0.tag == 0x9F27 && !$0.value.isEmpty })
    }
}
