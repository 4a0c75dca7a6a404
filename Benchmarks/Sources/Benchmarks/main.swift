// SPDX-License-Identifier: Apache-2.0
// Benchmarks [--quick] [--payments|--outbox|--nats|--issuer|--serve]: prints a table, of one subject or of everything;
// exits 1 when a limit is missed.
// Ratios are measured against plain C over the same libraries, in the same run.

import Foundation

let quick = CommandLine.arguments.contains("--quick")

func progress(_ text: String) { FileHandle.standardError.write(Data("benchmark: \(text)\n".utf8)) }

var rows: [Row] = []
if CommandLine.arguments.contains("--nats") {
    progress(quick ? "events to NATS" : "events to NATS, ten minutes")
    finish(try await benchmarkNATS(seconds: quick ? 30 : 600, warmUp: quick ? 10 : 60))
}
func issuerRows() throws -> [Row] {
    progress("provisioning envelopes, and the issuer for \(quick ? "10 s" : "5 minutes")")
    return [try benchmarkEnvelope(rounds: quick ? 51 : 401, perRound: 50)]
        + (try benchmarkIssuer(seconds: quick ? 10 : 300, perSecond: 200))
}
if CommandLine.arguments.contains("--issuer") { finish(try issuerRows()) }
if CommandLine.arguments.contains("--serve") {
    progress("the counter as a service")
    finish(try await benchmarkServe(taps: quick ? 1_000 : 10_000, idle: .seconds(quick ? 10 : 60)))
}
progress("decrypting")
rows.append(try benchmarkDecrypt(rounds: quick ? 51 : 401, perRound: 100))
if CommandLine.arguments.contains("--outbox") { rows = [] }
progress("the outbox")
rows += try await benchmarkOutbox(rounds: quick ? 21 : 101, perRound: 100)
rows.append(try await benchmarkDrain())
progress(quick ? "20,000 commits" : "1,000,000 commits, several minutes")
rows.append(try await benchmarkOutboxMemory(count: quick ? 20_000 : 1_000_000))
if CommandLine.arguments.contains("--outbox") { finish(rows) }
progress("payment reads")
rows += try benchmarkPayments(rounds: quick ? 255 : 2005, perRound: 10)
progress("taps with a pass and a payment")
rows.append(try await benchmarkPassAndPaymentTaps(rounds: quick ? 25 : 201))
if CommandLine.arguments.contains("--payments") { finish(rows) }
progress(quick ? "events to NATS" : "events to NATS, ten minutes")
rows += try await benchmarkNATS(seconds: quick ? 30 : 600, warmUp: quick ? 10 : 60)
progress("APDUs through pcscd")
rows.append(try await benchmarkRoundTrip(rounds: quick ? 25 : 201, perRound: 200))
progress("start-up")
rows.append(try benchmarkStartUp(rounds: quick ? 11 : 41))
progress("the counter as a service")
rows += try await benchmarkServe(taps: quick ? 1_000 : 10_000, idle: .seconds(quick ? 10 : 60))
progress("replay")
rows += try benchmarkReplay(exchanges: 100_000)
progress(quick ? "20,000 taps" : "1,000,000 taps, several minutes")
rows += try await benchmarkTaps(count: quick ? 20_000 : 1_000_000)
progress(quick ? "20,000 payment taps" : "1,000,000 payment taps, several minutes")
rows.append(try benchmarkPaymentMemory(count: quick ? 20_000 : 1_000_000))
rows += try issuerRows()
finish(rows)
