// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import InAppProvisioning

/// One visit to an extension.
final class ExtensionRun {
    typealias Entries = [PKIssuerProvisioningExtensionPassEntry]

    private let handler: PKIssuerProvisioningExtensionHandler
    private let visit: ExtensionVisit
    private let wallet: ProvisioningWallet
    private let setup: ProvisioningWallet.Setup
    private let process = DispatchQueue(label: "countertop.extension", attributes: .concurrent)
    private let atWork = DispatchGroup()
    private let began: Int
    private var record = ExtensionRecord()

    init(_ handler: PKIssuerProvisioningExtensionHandler, _ visit: ExtensionVisit, wallet: ProvisioningWallet) {
        (self.handler, self.visit, self.wallet, setup) = (handler, visit, wallet, wallet.setup)
        began = wallet.findings.count
    }

    func run() async -> ExtensionRecord {
        await steps()
        await settle()
        let seen = Array(wallet.findings.dropFirst(began))
        let own = Set(seen.map(\.id))
        let all = seen + record.cards.flatMap(\.findings).filter { !own.contains($0.id) }
        let known = Set(all.filter { Self.causes[$0.id]?.isDisjoint(with: own) == false }.map(\.id))
        record.findings = all.filter { !known.contains($0.id) }
        let passed = ConformanceCheck.extensionChecks.map { ConformanceResult($0, .pass) }
        record.report = ConformanceReport.merged(
            record.cards.map(\.report), (record.statusAfter == nil ? [] : passed) + seen
        ).explaining(known)
        return record
    }

    /// Checks whose violation is said by another one already.
    private static let causes: [String: Set<String>] = [
        "P-name-or-suffix": ["X-entry-complete"], "P-name-and-suffix": ["X-entry-complete"],
        "P-network": ["X-entry-complete"], "W-device-lacks-card": ["X-entry-unique", "X-lists-agree"],
        "W-account-named": ["X-entry-unique", "X-lists-agree"],
    ]

    private func steps() async {
        guard setup.hasEntitlement else {
            wallet.record(.entitlement, "the extension is not asked")
            return
        }
        guard let status = await status() else { return }
        if status.requiresAuthentication {
            let isAuthorized = await authorize()
            record.isAuthorized = isAuthorized
            guard isAuthorized else { return }
        }
        for device in wallet.presentDevices {
            guard let offered = await entries(for: device) else { continue }
            EntryChecks.check(offered, for: device, on: wallet)
            let says = device == .phone ? status.passEntriesAvailable : status.remotePassEntriesAvailable
            if says == offered.isEmpty {
                wallet.record(
                    .statusAgrees, "\(device.rawValue): status says \(says), there are \(offered.count) entries")
            }
            EntryChecks.compare(offered, await entries(for: device) ?? [], on: wallet)
            record.entries += offered.map { ExtensionRecord.Entry($0, device) }
            for entry in offered where visit.chooses?.contains(entry.identifier) ?? true {
                await add(entry, to: device)
            }
        }
    }

    /// Calls the extension on a thread of its own.
    private func call<Value: Sendable>(
        limit: Duration, patience: Duration? = nil, checks: HandlerCall<Value>.Checks,
        _ body: @escaping @Sendable (HandlerCall<Value>) -> Void
    ) async -> HandlerCall<Value>.End {
        let call = HandlerCall<Value>(
            limit: limit, patience: patience, checks: checks, time: setup.time,
            record: { [wallet] in wallet.record($0) })
        process.async(group: atWork) { [wallet] in wallet.use { body(call) } }
        return await call.end()
    }

    /// Methods may be at work after their handler was called, and call it again: a second of real time is theirs.
    private func settle() async {
        let done = FirstValue<Bool>()
        atWork.notify(queue: process) { done.give(true) }
        process.asyncAfter(deadline: .now() + .seconds(1)) { done.give(false) }
        _ = await done.value
    }

    /// A status as it was when the handler was called: the extension may go on to change the object.
    private struct Status: Sendable {
        var requiresAuthentication: Bool
        var passEntriesAvailable: Bool
        var remotePassEntriesAvailable: Bool

        init(_ status: PKIssuerProvisioningExtensionStatus) {
            requiresAuthentication = status.requiresAuthentication
            passEntriesAvailable = status.passEntriesAvailable
            remotePassEntriesAvailable = status.remotePassEntriesAvailable
        }
    }

    private func status() async -> Status? {
        let deadlines = setup.deadlines
        let end = await call(
            limit: deadlines.status, patience: max(deadlines.status, deadlines.entries),
            checks: .init(inTime: .statusInTime, once: .statusOnce, late: nil, afterStop: nil)
        ) { [handler] (call: HandlerCall<Status>) in
            handler.status { call.answer(Status($0)) }
        }
        guard case .answered(let status, let elapsed) = end else { return nil }
        record.statusAfter = elapsed
        let offers =
            status.passEntriesAvailable || status.remotePassEntriesAvailable && setup.watch != nil
        record.isListed = elapsed <= deadlines.status && offers
        return status
    }

    /// The list for a device; nil when none came in time, which counts as no cards.
    private func entries(for device: WalletDevice) async -> Entries? {
        let end = await call(
            limit: setup.deadlines.entries,
            checks: .init(inTime: .entriesInTime, once: .entriesOnce, late: nil, afterStop: nil)
        ) { [handler] (call: HandlerCall<Entries>) in
            if device == .phone {
                handler.passEntries { call.answer($0) }
            } else {
                handler.remotePassEntries { call.answer($0) }
            }
        }
        guard case .answered(let entries, _) = end else { return nil }
        return entries
    }

    /// Shows the issuer's screen and waits for its handler.
    private func authorize() async -> Bool {
        guard let make = visit.screen else {
            wallet.record(.authorization, "there is no screen")
            return false
        }
        let call = HandlerCall<PKIssuerProvisioningExtensionAuthorizationResult>(
            limit: setup.deadlines.authorization,
            checks: .init(inTime: .authorization, once: .authorization, late: nil, afterStop: nil),
            time: setup.time, record: { [wallet] in wallet.record($0) })
        let acts = visit.acts
        await wallet.use { await Self.show(make, acts, call) }
        guard case .answered(let result, _) = await call.end() else { return false }
        return result == .authorized
    }

    @MainActor private static func show(
        _ make: @MainActor () -> any PKIssuerProvisioningExtensionAuthorizationProviding,
        _ acts: (@MainActor (any PKIssuerProvisioningExtensionAuthorizationProviding) -> Void)?,
        _ call: HandlerCall<PKIssuerProvisioningExtensionAuthorizationResult>
    ) {
        let screen = make()
        screen.completionHandler = { call.answer($0) }
        (screen as? UIViewController)?.loadViewIfNeeded()
        acts?(screen)
    }

    private func add(_ entry: PKIssuerProvisioningExtensionPassEntry, to device: WalletDevice) async {
        guard let entry = entry as? PKIssuerProvisioningExtensionPaymentPassEntry else { return }
        var judgement = CardJudgement(entry.addRequestConfiguration, on: wallet, for: device)
        var (pass, outcome): (PKPaymentPass?, AddPassRecord.Outcome) = (nil, .added)
        var answeredAfter: Duration?
        do throws(FlowOver) {
            let request = try await ask(entry, try judgement.challenge(), &answeredAfter)
            pass = wallet.add(
                try judgement.judge(request), to: device,
                account: entry.addRequestConfiguration.primaryAccountIdentifier, description: entry.title)
        } catch { outcome = error.outcome }
        let (findings, report) = judgement.findings(wasAsked: true)
        let card = AddPassRecord(
            outcome: outcome, device: device, pass: pass?.record, answeredAfter: answeredAfter, findings: findings,
            report: report)
        record.cards.append(card)
        wallet.record(card)
    }

    private func ask(
        _ entry: PKIssuerProvisioningExtensionPaymentPassEntry, _ challenge: WalletRequest,
        _ answeredAfter: inout Duration?
    ) async throws(FlowOver) -> PKAddPaymentPassRequest {
        let box = ConfigurationBox(configuration: entry.addRequestConfiguration)
        let identifier = entry.identifier
        let end = await call(
            limit: setup.deadlines.request,
            checks: .init(inTime: .inTime, once: .once, late: .notLate, afterStop: .notAfterCancel)
        ) { [handler] (call: HandlerCall<PKAddPaymentPassRequest?>) in
            handler.generateAddPaymentPassRequestForPassEntryWithIdentifier(
                identifier, configuration: box.configuration,
                certificateChain: challenge.certificates.map { Data($0) }, nonce: Data(challenge.nonce),
                nonceSignature: Data(challenge.nonceSignature), completionHandler: { call.answer($0) })
        }
        guard case .answered(let request, let elapsed) = end else { throw FlowOver(outcome: .timedOut) }
        answeredAfter = elapsed
        if elapsed > setup.deadlines.slow { wallet.record(.fast, "after \(elapsed.text)") }
        guard let request else {
            wallet.record(.requestThere, "nil for one card")
            throw FlowOver(outcome: .noRequest)
        }
        return request
    }
}

extension ExtensionRecord.Entry {
    init(_ entry: PKIssuerProvisioningExtensionPassEntry, _ device: WalletDevice) {
        let configuration = (entry as? PKIssuerProvisioningExtensionPaymentPassEntry)?.addRequestConfiguration
        self.init(
            identifier: entry.identifier, title: entry.title, suffix: configuration?.primaryAccountSuffix,
            device: device)
    }
}
