// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import InAppProvisioning
import PassKit
import Testing

/// An extension with the forms that have handlers; everything it does can be set.
final class HandlerExtension: PKIssuerProvisioningExtensionHandler, @unchecked Sendable {
    let time: ManualTime
    var statusDelay = Duration.zero
    var statusCalls = 1
    var entriesDelay = Duration.zero
    var entriesCalls = 1
    /// Who seals a card whose identifier is not among those of ``issuers``.
    var fallback: TestIssuer?
    var requiresAuthentication = false
    var hasLocal = true
    var hasRemote = false
    var local: [() -> PKIssuerProvisioningExtensionPassEntry?] = [{ entry("card-1", suffix: "1111") }]
    var remote: [() -> PKIssuerProvisioningExtensionPassEntry?] = []
    var issuers = ["card-1": TestIssuer(), "card-2": TestIssuer(pan: "5555555555554444")]

    init(_ time: ManualTime) {
        self.time = time
        super.init()
    }

    static func entry(
        _ identifier: String, suffix: String, art: CGImage = CGImage(width: 1536, height: 969),
        change: (PKAddPaymentPassRequestConfiguration) -> Void = { _ in }
    ) -> PKIssuerProvisioningExtensionPassEntry? {
        guard let configuration = Bench.configuration(suffix: suffix) else { return nil }
        change(configuration)
        return PKIssuerProvisioningExtensionPaymentPassEntry(
            identifier: identifier, title: "Test Card", art: art, addRequestConfiguration: configuration)
    }

    override func status(completion: @escaping @Sendable (PKIssuerProvisioningExtensionStatus) -> Void) {
        time.advance(by: statusDelay)
        let status = PKIssuerProvisioningExtensionStatus()
        status.requiresAuthentication = requiresAuthentication
        (status.passEntriesAvailable, status.remotePassEntriesAvailable) = (hasLocal, hasRemote)
        for _ in 0..<statusCalls { completion(status) }
    }

    override func passEntries(completion: @escaping @Sendable ([PKIssuerProvisioningExtensionPassEntry]) -> Void) {
        time.advance(by: entriesDelay)
        for _ in 0..<entriesCalls { completion(local.compactMap { $0() }) }
    }

    override func remotePassEntries(completion: @escaping @Sendable ([PKIssuerProvisioningExtensionPassEntry]) -> Void)
    {
        completion(remote.compactMap { $0() })
    }

    override func generateAddPaymentPassRequestForPassEntryWithIdentifier(
        _ identifier: String, configuration: PKAddPaymentPassRequestConfiguration,
        certificateChain certificates: [Data], nonce: Data, nonceSignature: Data,
        completionHandler completion: @escaping @Sendable (PKAddPaymentPassRequest?) -> Void
    ) {
        completion(try? (issuers[identifier] ?? fallback)?.seal(certificates, nonce, nonceSignature))
    }
}

/// An extension in the async forms.
final class AsyncExtension: PKIssuerProvisioningExtensionHandler, @unchecked Sendable {
    override func status() async -> PKIssuerProvisioningExtensionStatus {
        let status = PKIssuerProvisioningExtensionStatus()
        status.passEntriesAvailable = true
        return status
    }
    override func passEntries() async -> [PKIssuerProvisioningExtensionPassEntry] {
        [HandlerExtension.entry("card-1", suffix: "1111")].compactMap { $0 }
    }
    override func generateAddPaymentPassRequestForPassEntryWithIdentifier(
        _ identifier: String, configuration: PKAddPaymentPassRequestConfiguration,
        certificateChain certificates: [Data], nonce: Data, nonceSignature: Data
    ) async -> PKAddPaymentPassRequest? {
        try? TestIssuer().seal(certificates, nonce, nonceSignature)
    }
}

/// The issuer's screen.
final class LoginScreen: UIViewController, PKIssuerProvisioningExtensionAuthorizationProviding {
    var completionHandler: ((PKIssuerProvisioningExtensionAuthorizationResult) -> Void)?
    let login = UIButton(type: .system)
    let cancel = UIButton(type: .custom)

    override func viewDidLoad() {
        super.viewDidLoad()
        login.addAction(UIAction { [weak self] _ in self?.completionHandler?(.authorized) }, for: .touchUpInside)
        cancel.addAction(UIAction { [weak self] _ in self?.completionHandler?(.canceled) }, for: .touchUpInside)
    }
}

@Suite("A Wallet extension")
struct ExtensionTests {
    private func pair(_ change: (inout ProvisioningWallet.Setup) -> Void = { _ in }) -> (Bench, HandlerExtension) {
        let bench = Bench(change)
        return (bench, HandlerExtension(bench.time))
    }

    @Test("Both forms of the methods lead to a pass, without a finding")
    func bothForms() async {
        let (bench, handler) = pair()
        let record = await bench.wallet.visit(handler)
        #expect(record.isListed)
        #expect(record.statusAfter == .zero)
        #expect(record.cards.map(\.outcome) == [.added])
        #expect(record.findings == [])
        let other = Bench()
        let second = await other.wallet.visit(AsyncExtension())
        #expect(second.cards.map(\.outcome) == [.added])
        #expect(second.findings == [])
    }

    @Test("An extension that overrides nothing offers nothing")
    func nothing() async {
        let record = await Bench().wallet.visit(PKIssuerProvisioningExtensionHandler())
        #expect(!record.isListed)
        #expect(record.entries == [])
        #expect(record.findings == [])
    }

    @Test("The async form of a handler that has the other one, and the other way round")
    func bridges() async {
        let (_, handler) = pair()
        #expect(await handler.status().passEntriesAvailable)
        #expect(await handler.passEntries().map(\.identifier) == ["card-1"])
        #expect(await handler.remotePassEntries().isEmpty)
        let collected = Collected<Bool>()
        await withCheckedContinuation { continuation in
            AsyncExtension().status {
                collected.add($0.passEntriesAvailable)
                continuation.resume()
            }
        }
        #expect(collected.all == [true])
    }

    @Test("status: 100 ms are in time, 101 ms are reported, and the visit goes on", arguments: [100, 101])
    func statusDeadline(milliseconds: Int) async {
        let (bench, handler) = pair()
        handler.statusDelay = .milliseconds(milliseconds)
        let record = await bench.wallet.visit(handler)
        #expect(record.isListed == (milliseconds == 100))
        #expect(record.findings.ids == (milliseconds == 100 ? [] : ["X-status-in-time"]))
        #expect(record.findings.map(\.evidence) == (milliseconds == 100 ? [] : ["after 101 ms"]))
        #expect(record.cards.map(\.outcome) == [.added])
    }

    @Test("status that completes twice")
    func statusTwice() async {
        let (bench, handler) = pair()
        handler.statusCalls = 2
        #expect(await bench.wallet.visit(handler).failures.ids == ["X-status-once"])
    }

    @Test("status that never completes")
    func statusNever() async {
        let (bench, handler) = pair()
        handler.statusCalls = 0
        async let visit = bench.wallet.visit(handler)
        await bench.pass(.seconds(20))
        let record = await visit
        #expect(record.failures.ids == ["X-status-in-time"])
        #expect(record.statusAfter == nil)
        #expect(record.entries == [])
    }

    @Test("Entries after 20.1 s are as no cards", arguments: [19_900, 20_100])
    func entriesDeadline(milliseconds: Int) async {
        let (bench, handler) = pair()
        handler.entriesDelay = .milliseconds(milliseconds)
        let record = await bench.wallet.visit(handler)
        #expect(record.entries.count == (milliseconds == 19_900 ? 1 : 0))
        #expect(record.findings.ids.contains("X-entries-in-time") == (milliseconds == 20_100))
    }

    @Test("Many cards in a row, for phone and watch; only the chosen ones are added")
    func manyCards() async {
        let (bench, handler) = pair { $0.watch = ProvisioningWallet.Watch() }
        handler.local = [
            { HandlerExtension.entry("card-1", suffix: "1111") }, { HandlerExtension.entry("card-2", suffix: "4444") },
        ]
        handler.remote = [{ HandlerExtension.entry("card-1", suffix: "1111") }]
        handler.hasRemote = true
        let record = await bench.wallet.visit(handler)
        #expect(record.cards.map(\.outcome) == [.added, .added, .added])
        #expect(record.cards.map(\.device) == [.phone, .phone, .watch])
        #expect(record.findings == [])
        var visit = ExtensionVisit()
        visit.chooses = ["card-2"]
        let fresh = Bench()
        #expect(
            await fresh.wallet.visit(handler, visit).cards.compactMap(\.pass?.primaryAccountNumberSuffix) == ["4444"])
    }

    /// What an extension does wrong, and the check that says so.
    static let mistakes: [(expected: String, change: @Sendable (HandlerExtension) -> Void)] = [
        ("X-status-agrees", { $0.hasLocal = false }), ("X-status-agrees", { $0.local = [] }),
        (
            "X-entry-complete",
            { $0.local = [{ HandlerExtension.entry("card-1", suffix: "1111") { $0.paymentNetwork = nil } }] }
        ),
        ("X-entry-complete", { $0.local = [{ HandlerExtension.entry("card-1", suffix: "") }] }),
        (
            "X-entry-complete",
            { $0.local = [{ HandlerExtension.entry("card-1", suffix: "1111") { $0.cardholderName = nil } }] }
        ),
        (
            "X-entry-art",
            { $0.local = [{ HandlerExtension.entry("card-1", suffix: "1111", art: CGImage(width: 64, height: 64)) }] }
        ),
        (
            "X-entry-art",
            {
                $0.local = [
                    {
                        HandlerExtension.entry(
                            "card-1", suffix: "1111", art: CGImage(width: 1536, height: 969, hasAlpha: true))
                    }
                ]
            }
        ),
        (
            "X-entry-unique",
            {
                $0.local = [
                    { HandlerExtension.entry("card-1", suffix: "1111") },
                    { HandlerExtension.entry("card-1", suffix: "1111") },
                ]
            }
        ),
        (
            "X-entry-stable",
            {
                $0.local = [{ HandlerExtension.entry(UUID().uuidString, suffix: "1111") }]
                $0.fallback = TestIssuer()
            }
        ),
        ("X-request", { $0.issuers = [:] }), ("X-authorization", { $0.requiresAuthentication = true }),
        ("X-status-in-time", { $0.statusDelay = .milliseconds(101) }), ("X-status-once", { $0.statusCalls = 2 }),
        ("X-entries-in-time", { $0.entriesDelay = .milliseconds(20_100) }),
        ("X-entries-once", { $0.entriesCalls = 2 }),
    ]

    @Test("Each fault is named by its own check and by no other", arguments: mistakes.indices)
    func namedMistake(index: Int) async {
        let (bench, handler) = pair()
        Self.mistakes[index].change(handler)
        let record = await bench.wallet.visit(handler)
        let expected = Self.mistakes[index].expected
        #expect(Set(record.findings.ids) == [expected], "\(record.findings)")
        let open = record.report.results.filter { [.fail, .warn].contains($0.verdict) }
        #expect(open.ids == [expected])
    }

    @Test("Every check of this group has a fault that it names")
    func everyCheck() {
        let named = Set(Self.mistakes.map(\.expected)).union(["X-lists-agree"])
        #expect(named == Set(ConformanceCheck.all.filter { $0.group == .issuerExtension }.map(\.id)))
    }

    @Test("A card that the phone has is not to be offered again")
    func listsAgree() async {
        let (bench, handler) = pair()
        #expect(await bench.wallet.visit(handler).findings == [])
        let again = await bench.wallet.visit(handler)
        #expect(Set(again.findings.ids) == ["X-lists-agree"])
        #expect(again.cards.map(\.outcome) == [.refused])
    }

    @Test(
        "Authentication: let through, cancelled, and a screen that answers twice",
        arguments: ["login", "cancel", "both"])
    func authentication(press: String) async {
        let (bench, handler) = pair()
        handler.requiresAuthentication = true
        var visit = ExtensionVisit()
        visit.screen = { LoginScreen() }
        visit.acts = { screen in
            guard let screen = screen as? LoginScreen else { return }
            if press != "cancel" { screen.login.sendActions(for: .touchUpInside) }
            if press != "login" { screen.cancel.sendActions(for: .touchUpInside) }
        }
        let record = await bench.wallet.visit(handler, visit)
        #expect(record.isAuthorized == (press != "cancel"))
        #expect(record.entries.count == (press == "cancel" ? 0 : 1))
        #expect(record.findings.ids == (press == "both" ? ["X-authorization"] : []))
    }

    @Test("Without the entitlement the extension is not asked")
    func notEntitled() async {
        let (bench, handler) = pair { $0.hasEntitlement = false }
        #expect(await bench.wallet.visit(handler).failures.ids == ["P-entitlement"])
    }

    @Test("An entry needs an identifier and a title")
    func entryInitialiser() throws {
        let configuration = try #require(Bench.configuration())
        for (identifier, title) in [("", "Card"), ("card", "")] {
            #expect(
                PKIssuerProvisioningExtensionPaymentPassEntry(
                    identifier: identifier, title: title, art: CGImage(width: 1, height: 1),
                    addRequestConfiguration: configuration) == nil)
        }
    }
}
