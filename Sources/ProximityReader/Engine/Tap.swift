// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import EMVContactless
internal import HostSystem
internal import ISO7816

/// What is done with the card of one tap.
struct TapRequest: Sendable {
    /// Merchants to ask, those that are still without an answer.
    var merchants: [VASMerchant]
    var mode: VASMode
    /// The payment after the passes; nil ends the tap with them.
    var entryPoint: EntryPoint?
    /// A phone answered the value added services in an earlier tap of this read.
    var isPhone = false
    /// A pass ends the tap.
    var stopsOnPass = false
}

/// One tap with its answers and its report.
struct Tap: Sendable {
    var entries: [VASEntry] = []
    /// The passes' part was gone through: every merchant was answered, or the card is no Apple wallet.
    var passesAreDone = false
    /// A wallet phone answered.
    var isPhone = false
    /// The payment, when the tap got there.
    var payment: EMVReadResult?
    var report: TapReport

    /// Runs the exchange to its end, passes before the payment and without a gap. It is not cut short when the caller's
    /// task is cancelled: a pass that the phone handed out must not be lost.
    static func run(_ request: TapRequest, on reader: any CardReader, time: HostTime) async -> Tap {
        await Task {
            let start = time.uptime()
            var tap = Tap(report: TapReport(began: time.now(), readerName: reader.name, ending: .answered))
            do {
                tap = try await reader.withCard(ending: .unpower) { [tap] channel in
                    var tap = tap
                    let meter = MeteredChannel(channel, uptime: time.uptime)
                    if tap.readPasses(request, over: meter) { tap.readPayment(request, over: meter) }
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

    // MARK: Passes

    /// Whether the payment comes next.
    private mutating func readPasses(_ request: TapRequest, over channel: MeteredChannel) -> Bool {
        isPhone = request.isPhone
        let triesNames = request.entryPoint?.configuration.triesConfiguredNames == true && !isPhone
        // Names are not tried on a phone: a payment without passes has to find out whether this is one.
        guard !request.merchants.isEmpty || triesNames else {
            passesAreDone = true
            return request.entryPoint != nil
        }
        let terminal = VASTerminal(mode: request.mode == .paymentOnly ? .vasOnly : request.mode)
        take(Result { () throws(VASError) in try terminal.read(request.merchants, over: channel) })
        guard passesAreDone, request.entryPoint != nil, !isLocked else { return false }
        return !(request.stopsOnPass && entries.contains(where: \.isPass))
    }

    /// The phone keeps a pass back until its owner has authenticated, and handed out none.
    private var isLocked: Bool {
        !entries.contains { $0.statusWord == .success } && entries.contains { $0.status == .notActivated }
    }

    private mutating func take(_ result: Result<VASTapResult, VASError>) {
        switch result {
        case .success(.applePay(let selection, let entries)):
            note(selection, entries)
            passesAreDone = true
            report.ending = entries.contains { $0.status == .notActivated } ? .notActivated : .answered
        case .success(.otherWallet(let selection)):
            note(selection, [])
            passesAreDone = true
            report.ending =
                selection.wallet.map { .otherWallet($0.rawValue) }
                ?? .malformed("the answer to SELECT is not that of a wallet")
        case .success(.notAWallet(let status)):
            passesAreDone = true
            report.ending = .noWallet(status)
        case .success(.paymentOnly): report.ending = .malformed("nothing was asked for")
        case .failure(let error):
            note(error.selection, error.entries)
            fail(error.cause ?? CardChannelError(.unsupported, reason: error.reason, hint: error.hint))
        }
    }

    private mutating func note(_ selection: VASSelection?, _ entries: [VASEntry]) {
        if selection != nil { isPhone = true }
        report.walletName = selection?.wallet?.rawValue
        report.capabilities = selection?.capabilities?.bytes
        for entry in entries { report.statusWords[entry.merchant.passTypeIdentifier] = entry.statusWord }
        self.entries = entries
    }

    // MARK: Payment

    private mutating func readPayment(_ request: TapRequest, over channel: MeteredChannel) {
        guard let entryPoint = request.entryPoint else { return }
        do throws(EMVError) {
            let read = try entryPoint.read(over: channel, device: isPhone ? .phone : .unknown)
            payment = read
            report.payment = read.outcome
            report.kernel = read.kernel?.description
            report.ending = .payment
        } catch {
            if let error = error.channelError { return fail(error) }
            report.ending = .malformed(error.description)
        }
    }

    private mutating func fail(_ error: CardChannelError) {
        report.ending = FaultMapping.isTorn(error) ? .torn(error) : .failed(error)
    }
}

extension VASEntry {
    /// A pass was handed out.
    var isPass: Bool { statusWord == .success && cryptogram != nil }
}
