// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HostSystem
public import InAppProvisioning
internal import Synchronization
internal import WalletCrypto

/// The emulated Wallet behind this module: a phone, perhaps a watch, their passes, the user, and Apple's servers.
///
/// Apple's types take no wallet, so each of them belongs to the one that is ``current`` when it is made or asked.
/// Usable from any thread.
public final class ProvisioningWallet: Sendable {
    struct State {
        var setup: Setup
        var passes: [WalletDevice: [WalletPass]]
        var findings: [ConformanceResult] = []
        var earlierKeys: Set<[UInt8]> = []
        var identity: WalletIdentity?
        var flows: [AddPassRecord] = []
        var notes: [Note] = []
        var libraries = 0
        var made = 0
    }

    /// What an app had the wallet do besides.
    public enum Note: Hashable, Sendable {
        /// It showed the pass with this serial number.
        case presentedPass(String)
        /// It opened Wallet's own way to add cards.
        case openedPaymentSetup
        /// It activated the pass with this serial number.
        case activatedPass(String)
    }

    let state: Mutex<State>
    private let salt = RandomBytes.generate(32)

    /// A wallet as it is set up.
    public init(_ setup: Setup = Setup()) {
        state = Mutex(State(setup: setup, passes: [.phone: setup.passes, .watch: setup.watchPasses]))
    }

    /// How it is set up. Changes act from the next step on; passes in it count only at the beginning.
    public var setup: Setup {
        get { state.withLock { $0.setup } }
        set { state.withLock { $0.setup = newValue } }
    }

    /// Everything seen so far, oldest first.
    public var findings: [ConformanceResult] { state.withLock { $0.findings } }
    /// The flows that are over, oldest first.
    public var flows: [AddPassRecord] { state.withLock { $0.flows } }
    /// What apps had the wallet do besides, oldest first.
    public var notes: [Note] { state.withLock { $0.notes } }

    /// Every pass on a device, whether an app may see it or not.
    public func passes(on device: WalletDevice) -> [WalletPass] { state.withLock { $0.passes[device] ?? [] } }

    /// Which devices are there.
    public var presentDevices: [WalletDevice] { setup.watch == nil ? [.phone] : [.phone, .watch] }

    func record(_ finding: ConformanceResult) { state.withLock { $0.findings.append(finding) } }
    func record(_ check: ConformanceCheck, _ evidence: String) {
        record(ConformanceResult(violated: check, evidence))
    }
    func record(_ flow: AddPassRecord) { state.withLock { $0.flows.append(flow) } }
    func note(_ note: Note) { state.withLock { $0.notes.append(note) } }

    /// A name for a card that tells cards apart and does not tell the card.
    func fingerprint(of number: String) -> String {
        Digest.sha256(salt + Array(number.utf8)).prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Everything seen so far in one report: the worst of each check over all flows, with what came after them.
    public func report() -> ConformanceReport { .merged(flows.map(\.report), findings) }

    /// The device's certificates and leaf key: those of the set-up, else made once by the public test authority.
    func identity() throws(ProvisioningError) -> WalletIdentity {
        let setup = self.setup
        if let identity = setup.identity ?? state.withLock({ $0.identity }) { return identity }
        var shape = ProvisioningTestAuthority.Shape()
        shape.includesRoot = setup.certificateCount > 2
        let authority = if let authority = setup.authority { authority } else { try ProvisioningTestAuthority() }
        let identity = try authority.makeIdentity(shape, at: setup.time.now())
        state.withLock { $0.identity = identity }
        return identity
    }

    /// Remembers an issuer's ephemeral key; gives the earlier ones.
    func takeKey(_ key: [UInt8]) -> Set<[UInt8]> {
        state.withLock { state in
            let earlier = state.earlierKeys
            state.earlierKeys.insert(key)
            return earlier
        }
    }

    /// A stand-in for a signature of the secure element.
    func signature(of data: Data) -> Data { Data(Digest.sha256(salt + [UInt8](data))) }
}

/// Which wallet it is.
extension ProvisioningWallet {
    @TaskLocal static var scoped: ProvisioningWallet?
    private static let installed = Mutex<ProvisioningWallet?>(nil)
    private static let fallback = ProvisioningWallet()

    /// The wallet of the task, else the installed one, else one with the defaults.
    public static var current: ProvisioningWallet { scoped ?? installed.withLock { $0 } ?? fallback }

    /// Makes this the wallet of the whole process.
    public func install() { Self.installed.withLock { $0 = self } }

    /// Makes this the wallet of what is done inside, and of the tasks that are begun there.
    public func use<R>(_ operation: () throws -> R) rethrows -> R {
        try Self.$scoped.withValue(self) { try operation() }
    }

    /// Makes this the wallet of what is done inside, and of the tasks that are begun there.
    public func use<R>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> R
    ) async rethrows -> R {
        try await Self.$scoped.withValue(self, operation: operation)
    }
}
