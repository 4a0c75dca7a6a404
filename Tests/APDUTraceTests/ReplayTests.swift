// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import ISO7816
import Testing

private let select = "00A404000A4F53452E5641532E303100"
private let version = "9F22020100"
private let merchantA = "9F2520" + String(repeating: "AA", count: 32)
private let merchantB = "9F2520" + String(repeating: "BB", count: 32)
private let capabilities = "9F260400800002"

private func getVASData(_ objects: [String], p2: UInt8 = 1, le: Bool = true) throws -> [UInt8] {
    try CommandAPDU(
        cla: 0x80, ins: 0xCA, p1: 1, p2: p2, data: try Hex.decode(objects.joined()), ne: le ? 256 : nil
    ).bytes
}

@Suite("Replay")
struct ReplayTests {
    private let a = TraceExchange(
        command: (try? getVASData([version, "9F280401020304", merchantA, capabilities])) ?? [],
        response: [0xAA, 0x90, 0])
    private let b = TraceExchange(
        command: (try? getVASData([version, merchantB, capabilities])) ?? [], response: [0xBB, 0x90, 0])

    private func channel(_ matching: ReplayMatching) throws -> ReplayChannel {
        let opening = TraceExchange(command: try Hex.decode(select), response: [0x90, 0])
        return ReplayChannel(APDUTrace.Tap(exchanges: [opening, a, b]), matching: matching)
    }

    @Test("exact takes the same bytes only; varying any nonce")
    func nonce() throws {
        let other = try getVASData([version, "9F2804FFFFFFFF", merchantA, capabilities])
        for (matching, fits) in [(ReplayMatching.exact, false), (.varying, true), (.equivalent, true)] {
            let channel = try channel(matching)
            #expect(try channel.transmit(try Hex.decode(select)) == [0x90, 0])
            if fits {
                #expect(try channel.transmit(other) == a.response)
            } else {
                let error = #expect(throws: CardChannelError.self) { try channel.transmit(other) }
                #expect(error?.code == .mismatch)
                #expect(error?.reason.contains("from byte 13 on") == true)
                #expect(try channel.transmit(a.command) == a.response)
            }
        }
    }

    @Test("equivalent takes any order, optional tags, no Le, SELECT without Le")
    func equivalent() throws {
        let channel = try channel(.equivalent)
        #expect(try channel.transmit(try Hex.decode(String(select.dropLast(2)))) == [0x90, 0])
        let extra = [merchantA, "9F2B050100000000", "9F290468747470", capabilities, version]
        #expect(try channel.transmit(try getVASData(extra, le: false)) == a.response)
        #expect(throws: CardChannelError.self) { try channel.transmit(try getVASData([version, merchantA])) }
        #expect(throws: CardChannelError.self) { try channel.transmit(try getVASData([version, merchantB], p2: 0)) }
        #expect(try channel.transmit(try getVASData([version, merchantB])) == b.response)
        let over = #expect(throws: CardChannelError.self) { try channel.transmit(b.command) }
        #expect(over?.code == .cardGone && channel.isUsedUp && channel.remaining == 0)
    }

    @Test("skipping finds one merchant of several, in any order")
    func skipping() throws {
        let channel = try channel(ReplayMatching(.equivalent, skipping: true))
        #expect(try channel.transmit(b.command) == b.response)
        #expect(try channel.transmit(a.command) == a.response)
        #expect(channel.remaining == 1)
        let forward = try self.channel(ReplayMatching(.exact, skipping: true))
        let error = #expect(throws: CardChannelError.self) { try forward.transmit([0, 0x20, 0, 0, 1, 9]) }
        #expect(error?.code == .mismatch)
    }

    @Test("URL only is matched by P2; a PIN is not shown")
    func special() throws {
        let url = try getVASData([version, "9F290468747470", capabilities], p2: 0)
        let other = try getVASData(["9F290568747470733A"], p2: 0)
        #expect(ReplayMatching.equivalent.matches(recorded: url, sent: other))
        let pin = TraceExchange(command: [0, 0x20, 0, 0x80, 2, 0x12, 0x34], response: [0x90, 0])
        let channel = ReplayChannel(APDUTrace.Tap(exchanges: [pin]))
        let error = #expect(throws: CardChannelError.self) { try channel.transmit([0, 0x20, 0, 0x80, 2, 0x12, 0x99]) }
        #expect(error?.reason.contains("1299") == false && error?.reason.contains("1234") == false)
    }

    @Test("a reader brings tap after tap and ends; without field marks the same tap goes on")
    func reader() async throws {
        let text = "00B0000000\n9000\n00B0000001\n9001\n# FIELD: off\n00B0000002\n9002\n# LOST: 00B0000003\n"
        let reader = TraceReader(try APDUTrace(parsing: text), name: "x")
        #expect(reader.name == "replay:x")
        func send(_ le: UInt8) async throws -> [UInt8] {
            try await reader.withCard(ending: .leave) { try $0.transmit([0, 0xB0, 0, 0, le]) }
        }
        let first = try await reader.waitForCard(timeout: nil)
        #expect(first.atr == TraceReader.defaultATR)
        #expect(try await send(0) == [0x90, 0])
        #expect(try await send(1) == [0x90, 1])
        #expect(try await reader.waitForCard(timeout: nil).eventCount != first.eventCount)
        #expect(try await send(2) == [0x90, 2])
        let lost = await #expect(throws: CardChannelError.self) { try await send(3) }
        #expect(lost?.code == .cardGone)
        let over = await #expect(throws: CardChannelError.self) { try await reader.waitForCard(timeout: nil) }
        #expect(over?.code == .noCard)
        await #expect(throws: CardChannelError.self) { try await send(3) }
    }

    @Test("a channel that escapes is dead")
    func escaped() async throws {
        final class Box: @unchecked Sendable { var channel: (any CardChannel)? }
        let box = Box()
        let reader = TraceReader(try APDUTrace(parsing: "00B0000000\n9000"), name: "x")
        try await reader.withCard(ending: .leave) { box.channel = $0 }
        let error = #expect(throws: CardChannelError.self) { try box.channel?.transmit([0, 0xB0, 0, 0, 0]) }
        #expect(error?.code == .unsupported)
    }
}

@Suite("Recorder and comparison")
struct RecorderTests {
    @Test("what a recorder keeps is replayed; redaction knows the application")
    func recorder() throws {
        let card = ScriptedChannel([
            .answer([0x90, 0]), .answer([1, 2, 3, 0x90, 0]), .fault(CardChannelError(.cardGone, reason: "gone")),
            .answer([0x6A, 0x82]),
        ])
        let recorder = TraceRecorder(redacting: { exchange, context in
            var exchange = exchange
            exchange.comments = [context.selected?.description ?? "none", "\(context.tap)"]
            if exchange.response.count > 2 { exchange.response = [0, 0, 0] + exchange.response.suffix(2) }
            return exchange
        })
        let channel = recorder.recording(card)
        let name = AID.valueAddedServices
        #expect(try channel.transmit(CommandAPDU.select(name).bytes) == [0x90, 0])
        #expect(try channel.transmit([0, 0xB0, 0, 0, 0] as [UInt8]) == [1, 2, 3, 0x90, 0])
        #expect(throws: CardChannelError.self) { try channel.transmit([0, 0xB1, 0, 0] as [UInt8]) }
        _ = try channel.transmit([0, 0xB2, 0, 0] as [UInt8])
        let trace = recorder.trace
        #expect(trace.taps.map(\.exchanges.count) == [2, 1])
        #expect(trace.taps[0].lost?.command == [0, 0xB1, 0, 0])
        #expect(trace.exchanges[1].response == [0, 0, 0, 0x90, 0])
        #expect(
            trace.exchanges.map(\.comments) == [[name.description, "0"], [name.description, "0"], ["none", "1"]])
        #expect(try APDUTrace(parsing: trace.text()) == trace)
    }

    @Test("traces that differ in nonces only are equal; others are told apart")
    func comparison() throws {
        let tap = """
            00A404000A4F53452E5641532E303100
            6F1D50084170706C655061799F210201009F2404%@9F23040000001E9000
            80CA0101079F2804%@00
            70099F2706A1A2A3A4%@9000

            """
        func trace(_ nonce: String, _ tail: String = "B1B2") throws -> APDUTrace {
            let parts = tap.components(["%@"])
            return try APDUTrace(parsing: parts[0] + nonce + parts[1] + nonce + parts[2] + tail + parts[3])
        }
        let (left, right) = (try trace("01020304"), try trace("05060708", "C1C2"))
        #expect(TraceComparison(left, right).isEqual)
        #expect(TraceComparison(left, right, blanking: false).differences.count == 2)
        var changed = right
        changed.taps[0].exchanges[0].response[30] ^= 0x20
        let differences = TraceComparison(left, changed).differences
        guard case .response(_, 1, _, 1, 30)? = differences.first else { return #expect(Bool(false)) }
        changed.taps[0].exchanges.insert(TraceExchange(command: [0, 1, 2, 3], response: [0x6D, 0]), at: 1)
        changed.taps.append(APDUTrace.Tap(lost: LostCommand(command: [0, 1, 2, 3])))
        #expect(TraceComparison(left, changed).differences.count == 4)
        #expect(TraceComparison(changed, left).differences.allSatisfy { !$0.description.isEmpty })
        #expect(TraceComparison(changed, changed).isEqual)
    }
}

extension String {
    fileprivate func components(_ separators: [String]) -> [String] {
        guard let separator = separators.first else { return [self] }
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}
