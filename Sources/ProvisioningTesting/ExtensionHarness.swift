// SPDX-License-Identifier: Apache-2.0

public import InAppProvisioning
public import PassKit

/// Drives an issuer's Wallet extension as Wallet does, and reports what it did.
///
/// In a test of one's own:
///
/// ```swift
/// let report = await ExtensionHarness(MyExtension()).check()
/// #expect(report.isOK, "\(report.text())")
/// ```
///
/// As a program for `countertop extension check`, with this as its whole `main.swift`:
///
/// ```swift
/// import ProvisioningTesting
///
/// await ExtensionHarness(MyExtension()).main()
/// ```
///
/// The extension's back end must trust the root of the public test authority (`ProvisioningTestAuthority`), which no
/// back end may do in production.
public struct ExtensionHarness: Sendable {
    /// The extension.
    public let handler: PKIssuerProvisioningExtensionHandler
    /// The phone it runs on; by default one without cards and without a watch.
    public var setup: ProvisioningWallet.Setup
    /// What the user does; by default every card is chosen, and there is no screen to authenticate in.
    public var visit = ExtensionVisit()

    /// A harness for an extension.
    ///
    /// - Parameter setup: the phone; the default comes from the environment, see ``environment``.
    public init(
        _ handler: PKIssuerProvisioningExtensionHandler, setup: ProvisioningWallet.Setup = ExtensionHarness.environment
    ) {
        (self.handler, self.setup) = (handler, setup)
    }

    /// The phone that `countertop extension check` asks for: with a watch when `COUNTERTOP_EXTENSION_WATCH` is `1`.
    public static var environment: ProvisioningWallet.Setup {
        var setup = ProvisioningWallet.Setup()
        if ReportPlace.variable("COUNTERTOP_EXTENSION_WATCH") == "1" { setup.watch = ProvisioningWallet.Watch() }
        return setup
    }

    /// One visit: `status`, authentication, entries, and a sealed card for each one chosen.
    public func record() async -> ExtensionRecord { await ProvisioningWallet(setup).visit(handler, visit) }

    /// What one visit showed. An extension that offers nothing, or none of whose cards is added, is not in order; the
    /// report says why.
    public func check() async -> ConformanceReport {
        let record = await record()
        let unsound = record.cards.filter { $0.outcome != .added && $0.failures.isEmpty }
        guard record.cards.isEmpty || !unsound.isEmpty, record.report.isOK,
            let check = ConformanceCheck.named("X-request")
        else { return record.report }
        let evidence =
            unsound.first.map { "a card was not added: \($0.outcome.rawValue)" } ?? "the extension offered no card"
        return ConformanceReport(
            [ConformanceResult(check, .fail, evidence)] + record.report.results, mistakes: record.report.mistakes)
    }

    /// The whole of a program that checks an extension: writes the report as JSON to the file that
    /// `COUNTERTOP_EXTENSION_REPORT` names, or to standard output, and ends the process with status 0, or 1 when a
    /// check failed.
    public func main() async -> Never {
        let report = await check()
        ReportPlace.end(report)
    }
}
