// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ISO7816

/// One tap with its answers and its report.
struct VASTap: Sendable {
    var entries: [VASEntry] = []
    var report: TapReport

    /// Runs the exchange to its end. It is not cut short when the caller's task is cancelled: a pass that the phone
    /// handed out must not be lost.
    static func run(_ merchants: [VASMerchant], on reader: any CardReader, time: CounterTime) async -> VASTap {
        await Task {
            let start = time.uptime()
            var tap = VASTap(report: TapReport(began: time.now(), readerName: reader.name, ending: .answered))
            do {
                tap = try await reader.withCard(ending: .unpower) { [tap] channel in
                    var tap = tap
                    let meter = MeteredChannel(channel, uptime: time.uptime)
                    tap.take(Result { () throws(VASError) in try VASTerminal().read(merchants, over: meter) })
                    tap.report.commandDurations = meter.durations
                    return tap
                }
            } catch let error as CardChannelError {
                tap.fail(error)
            } catch {
                tap.fail(CardChannelError(.other, reason: "the reader failed: \(error)"))
            }
            tap.report.duration = time.uptime() - start
            return tap
        }.value
    }

    private mutating func take(_ result: Result<VASTapResult, VASError>) {
        switch result {
        case .success(.applePay(let selection, let entries)):
            note(selection, entries)
            report.ending = entries.contains { $0.status == .notActivated } ? .notActivated : .answered
        case .success(.otherWallet(let selection)):
            note(selection, [])
            report.ending =
                selection.wallet.map { .otherWallet($0.rawValue) }
                ?? .malformed("the answer to SELECT is not that of a wallet")
        case .success(.notAWallet(let status)): report.ending = .noWallet(status)
        case .success(.paymentOnly): report.ending = .malformed("nothing was asked for")
        case .failure(let error):
            note(error.selection, error.entries)
            fail(error.cause ?? CardChannelError(.unsupported, reason: error.reason, hint: error.hint))
        }
    }

    private mutating func note(_ selection: VASSelection?, _ entries: [VASEntry]) {
        report.walletName = selection?.wallet?.rawValue
        report.capabilities = selection?.capabilities?.bytes
        for entry in entries { report.statusWords[entry.merchant.passTypeIdentifier] = entry.statusWord }
        self.entries = entries
    }

    private mutating func fail(_ error: CardChannelError) {
        report.ending = FaultMapping.isTorn(error) ? .torn(error) : .failed(error)
    }
}
