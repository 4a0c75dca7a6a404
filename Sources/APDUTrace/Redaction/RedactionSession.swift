// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import ISO7816

/// Redacts exchanges in the order they happen.
///
/// A value may straddle exchanges: answers that GET RESPONSE fetches piece by piece, commands in chains, files read in
/// blocks. The exchanges of such a chain are redacted as one, again with each that comes.
struct RedactionSession: Sendable {
    private struct Context {
        var selected: [UInt8]?
        var lists: [TLVTag: [UInt8]] = [:]
    }

    /// Each part costs a look at all before it.
    private static let longestChain = 64

    let today: Int
    /// Secrets seen before the chain, and in the chain as it is now: a part of a value is no secret of its own.
    private var settled: KnownSecrets
    private var current = KnownSecrets()
    private var context = Context()
    private var chain: [TraceExchange] = []

    init(today: Int, known: KnownSecrets = KnownSecrets()) { (self.today, settled) = (today, known) }

    /// Secrets seen so far.
    var known: KnownSecrets {
        var known = settled
        known.formUnion(current)
        return known
    }

    /// The card left; the next exchange is with another, or begins anew.
    mutating func fieldOff() {
        settle()
        (context, chain) = (Context(), [])
    }

    private mutating func settle() {
        settled.formUnion(current)
        current = KnownSecrets()
    }

    /// Takes the next exchange, unredacted.
    ///
    /// - Returns: the redacted exchanges of the chain it belongs to; all but the last replace those returned before.
    mutating func take(_ exchange: TraceExchange) -> [TraceExchange] {
        if let last = chain.last, chain.count < Self.longestChain, Self.continues(last, exchange) {
            chain.append(exchange)
        } else {
            // What the chain before told is known now.
            context = after(chain)
            settle()
            chain = [exchange]
        }
        return redacted()
    }

    /// Text that belongs to the trace, redacted with what is known.
    func redacted(_ text: String) -> String {
        TextRedaction(values: values(context.selected), known: known).redacted(text)
    }

    // MARK: chains

    private static func continues(_ last: TraceExchange, _ next: TraceExchange) -> Bool {
        guard last.command.count >= 4, next.command.count >= 4 else { return false }
        let (before, now) = (last.command, next.command)
        // Command chaining, ISO/IEC 7816-4, 5.3.3.
        if before[0] & 0x10 != 0, before[1] == now[1] { return true }
        guard last.response.count >= 2 else { return false }
        let (sw1, sw2) = (last.response[last.response.count - 2], last.response[last.response.count - 1])
        if sw1 == 0x61, now.count <= 5 {
            return now[1] == 0xC0 || (now.count == 5 && now[2] == 0 && now[3] == 0 && now[4] == sw2)
        }
        return before[1] == 0xB0 && now[1] == 0xB0 && sw1 == 0x90
    }

    private func values(_ application: [UInt8]?) -> ValueRedaction {
        ValueRedaction(application: application, today: today)
    }

    private mutating func redacted() -> [TraceExchange] {
        guard let first = chain.first else { return [] }
        let command = try? CommandAPDU(first.command)
        let selected = Self.selection(chain) ?? context.selected
        let isWalletData =
            command.map { VASCommandMeaning.isGetVASData($0) || Self.selectsWallet($0) } ?? false
        let (commands, answers) = (chain.map { Self.data(of: $0) }, chain.map { Array($0.response.dropLast(2)) })
        var redaction = ByteRedaction(
            values: values(selected), lists: Self.selection(chain) == nil ? context.lists : [:])
        var (command1, answer1) = (commands.flatMap { $0 }, answers.flatMap { $0 })
        if !isWalletData {
            let ins = first.command.count > 1 ? first.command[1] : 0
            command1 = redaction.redacted(command1, ins == 0xA4 ? .unknown : .command(ins: ins))
            answer1 = redaction.redacted(answer1, .answer(ins: ins, asked: Self.tagAsked(first.command)))
            current = redaction.found
            let known = self.known
            command1 = known.removed(from: command1, values(selected))
            answer1 = known.removed(from: answer1, values(selected))
        }
        return rebuilt(commands.map(\.count), command1, answers.map(\.count), answer1, values(selected))
    }

    private func rebuilt(
        _ commandCounts: [Int], _ command: [UInt8], _ answerCounts: [Int], _ answer: [UInt8], _ values: ValueRedaction
    ) -> [TraceExchange] {
        var (commandStart, answerStart) = (0, 0)
        let text = TextRedaction(values: values, known: known)
        return chain.indices.map { index in
            var exchange = chain[index]
            let range = Self.dataRange(exchange.command)
            exchange.command.replaceSubrange(range, with: command[commandStart..<commandStart + commandCounts[index]])
            exchange.response.replaceSubrange(
                0..<answerCounts[index], with: answer[answerStart..<answerStart + answerCounts[index]])
            exchange.comments = exchange.comments.map { text.redacted($0) }
            commandStart += commandCounts[index]
            answerStart += answerCounts[index]
            return exchange
        }
    }

    // MARK: what commands are

    /// What is no APDU is all data but for its header.
    private static func dataRange(_ command: [UInt8]) -> Range<Int> {
        (try? CommandAPDU(command))?.dataRange ?? min(4, command.count)..<command.count
    }

    private static func data(of exchange: TraceExchange) -> [UInt8] {
        Array(exchange.command[dataRange(exchange.command)])
    }

    private static func selectsWallet(_ command: CommandAPDU) -> Bool {
        VASCommandMeaning.selectedAID(command).map { Array($0) == AID.valueAddedServices.bytes } ?? false
    }

    private static func selection(_ chain: [TraceExchange]) -> [UInt8]? {
        guard let first = chain.first, let command = try? CommandAPDU(first.command),
            let name = VASCommandMeaning.selectedAID(command), first.response.count >= 2,
            [0x61, 0x62, 0x63, 0x90].contains(first.response[first.response.count - 2])
        else { return nil }
        return Array(name)
    }

    /// The object that GET DATA asks for (EMV Book 3, 6.5.7).
    private static func tagAsked(_ command: [UInt8]) -> TLVTag? {
        guard command.count >= 4, command[1] == 0xCA || command[1] == 0xCB else { return nil }
        let tag = UInt32(command[2]) << 8 | UInt32(command[3])
        return tag == 0 ? nil : TLVTag(rawValue: tag)
    }

    /// The context once a chain is over: the application it selected, the lists it gave.
    private func after(_ chain: [TraceExchange]) -> Context {
        var context = context
        if let selected = Self.selection(chain) { context = Context(selected: selected) }
        let bytes = chain.flatMap { $0.response.dropLast(2) }
        for leaf in LooseTLV(bytes, in: 0..<bytes.count).leaves where SensitiveObjects.lists.contains(leaf.tag) {
            context.lists[leaf.tag] = Array(bytes[leaf.value])
        }
        return context
    }
}
