// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Synchronization

/// What the issuer made of a card: three sealed parts that the app passes on as they are.
///
/// Apple: create it only inside the callback. Each part is bytes, decoded once from whatever encoding the issuer's
/// server uses. Usable from any thread. Prints as lengths only.
@available(iOS 9.0, macCatalyst 13.1, visionOS 1.0, *)
open class PKAddPaymentPassRequest: NSObject, @unchecked Sendable {
    struct Parts: Hashable, Sendable {
        var encryptedPassData: Data?
        var activationData: Data?
        var ephemeralPublicKey: Data?
        var wrappedKey: Data?
    }

    private let state = Mutex(Parts())

    /// A request without any part, which Wallet takes as a failure.
    public override init() { super.init() }

    /// The sealed card: for `ECC_V2` ciphertext and 16 bytes of tag.
    open var encryptedPassData: Data? {
        get { state.withLock { $0.encryptedPassData } }
        set { state.withLock { $0.encryptedPassData = newValue } }
    }

    /// The network's one-time password, which neither Apple nor the device looks into.
    open var activationData: Data? {
        get { state.withLock { $0.activationData } }
        set { state.withLock { $0.activationData = newValue } }
    }

    /// For `ECC_V2`: the issuer's key for this request, 65 bytes `04 || X || Y`.
    open var ephemeralPublicKey: Data? {
        get { state.withLock { $0.ephemeralPublicKey } }
        set { state.withLock { $0.ephemeralPublicKey = newValue } }
    }

    /// For `RSA_V2`: the wrapped key.
    open var wrappedKey: Data? {
        get { state.withLock { $0.wrappedKey } }
        set { state.withLock { $0.wrappedKey = newValue } }
    }

    /// All parts at one moment.
    var parts: Parts { state.withLock { $0 } }

    /// The lengths of the parts; never their bytes.
    open override var description: String {
        let parts = self.parts
        func length(_ data: Data?) -> String { data.map { "\($0.count) bytes" } ?? "none" }
        return "PKAddPaymentPassRequest(encryptedPassData: \(length(parts.encryptedPassData)), "
            + "activationData: \(length(parts.activationData)), "
            + "ephemeralPublicKey: \(length(parts.ephemeralPublicKey)), wrappedKey: \(length(parts.wrappedKey)))"
    }
}

extension PKAddPaymentPassRequest: CustomReflectable {
    /// Nothing: the parts are never printed.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
