// SPDX-License-Identifier: Apache-2.0

import CBaseline
import CardTesting
import EmulatedWallet
import Foundation
import ISO7816
import PCSC

/// One APDU through pcscd and vpcd to the emulated phone, against the same loop in C: same daemon, same card, in turn.
func benchmarkRoundTrip(rounds: Int, perRound: Int) async throws -> Row {
    let name = "APDU through pcscd and vpcd / C"
    guard PrivatePCSCD.isAvailable else {
        return Row(name: name, figure: "no pcscd with vpcd here", target: "at most 1.05", holds: nil)
    }
    let daemon = try PrivatePCSCD()
    daemon.attach()
    let card = VPCDCard(EmulatedPhone(PhoneDefinition()), at: VPCDAddress(host: "127.0.0.1", port: daemon.port))
    try card.start()
    defer { card.stop() }
    guard try await card.waitUntilReady(timeout: .seconds(10)) else {
        throw BenchmarkFailure("the emulated phone does not come into the reader")
    }
    let readerName = daemon.slotNames[0]
    let reader = PCSCReader(name: readerName)
    _ = try await reader.waitForCard(timeout: .seconds(10))
    // An instruction that the phone does not know: the shortest way there and back.
    let command: [UInt8] = [0x00, 0xB0, 0x00, 0x00, 0x00]
    _ = try await ours(reader, command, perRound)

    var times: (ours: [Double], baseline: [Double]) = ([], [])
    for round in 0..<rounds {
        if round.isMultiple(of: 2) { times.ours.append(try await ours(reader, command, perRound)) }
        times.baseline.append(try baseline(readerName, command, perRound))
        if !round.isMultiple(of: 2) { times.ours.append(try await ours(reader, command, perRound)) }
    }
    return Comparison(ours: median(times.ours), baseline: median(times.baseline)).row(name, atMost: 1.05)
}

private func ours(_ reader: PCSCReader, _ command: [UInt8], _ count: Int) async throws -> Double {
    try await reader.withCard(ending: .leave) { channel in
        try nanoseconds { for _ in 0..<count { _ = try channel.transmit(command) } } / Double(count)
    }
}

private func baseline(_ reader: String, _ command: [UInt8], _ count: Int) throws -> Double {
    var time: UInt64 = 0
    let code = baseline_pcsc_round_trips(reader, command, command.count, count, &time)
    guard code == 0 else { throw BenchmarkFailure("the C loop failed with code \(String(code, radix: 16))") }
    return Double(time)
}
