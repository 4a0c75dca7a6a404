// SPDX-License-Identifier: Apache-2.0

public import InAppProvisioning

/// How one card was added, or not.
public struct AddPassRecord: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The pass is there.
        case added
        /// The user cancelled.
        case userCancelled
        /// Nothing came in time.
        case timedOut
        /// The app gave an empty request, or none.
        case noRequest
        /// The sealed card was refused.
        case refused
        /// Nothing could be asked: no delegate, no challenge, an unsupported scheme.
        case unsupported
        /// The app's process ended.
        case appKilled
    }

    /// How it ended.
    public var outcome: Outcome
    /// The device it was for.
    public var device: WalletDevice
    /// The new pass, if there is one.
    public var pass: WalletPass?
    /// How long the app took to answer, if it did.
    public var answeredAfter: Duration?
    /// Violations that were seen until the end. Later calls of handlers are in ``ProvisioningWallet/findings`` only.
    public var findings: [ConformanceResult]
    /// Every check, and how it ended.
    public var report: ConformanceReport

    /// Findings that are failures.
    public var failures: [ConformanceResult] { findings.filter { $0.verdict == .fail } }
}

extension AddPassRecord.Outcome {
    /// What the app is told; nil when there is no error, or no app. Only code 1 is documented; that everything that goes
    /// wrong behind the sheet is code 2 is what developers report.
    var passKitError: PKAddPaymentPassError? {
        switch self {
        case .added, .appKilled: nil
        case .userCancelled: .userCancelled
        case .unsupported: .unsupported
        case .timedOut, .noRequest, .refused: .systemCancelled
        }
    }
}
