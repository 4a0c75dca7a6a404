// SPDX-License-Identifier: Apache-2.0

public import BERTLV
internal import ISO7816

/// Something unexpected in an answer that does not stop the tap.
public struct VASOddity: Hashable, Sendable, CustomStringConvertible {
    /// The kind. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The answer has no data, or none that can be read to its end.
        public static let malformed = Code(rawValue: "malformed")
        /// The objects stand outside their template.
        public static let noTemplate = Code(rawValue: "noTemplate")
        /// No wallet name.
        public static let noName = Code(rawValue: "noName")
        /// An application version that is missing or not 1.0.
        public static let version = Code(rawValue: "version")
        /// Capabilities that are missing or have an unknown form.
        public static let capabilities = Code(rawValue: "capabilities")
        /// A status of success, but no pass data.
        public static let noPassData = Code(rawValue: "noPassData")
    }

    /// What it is.
    public let code: Code
    /// What it is, in words; no pass data in it.
    public let text: String

    /// The text.
    public var description: String { text }
}

/// What a phone answered to SELECT `OSE.VAS.01`: the file control information, read with tolerance.
public struct VASSelection: Hashable, Sendable {
    /// Who answered; nil when it gave no name.
    public let wallet: VASWallet?
    /// The VAS application version, `01 00`; nil when absent.
    public let applicationVersion: [UInt8]?
    /// The phone's nonce; nil when absent. Nothing is known to depend on it.
    public let deviceNonce: [UInt8]?
    /// What the phone can do; nil when absent.
    public let capabilities: VASDeviceCapabilities?
    /// Objects this version does not know, in order.
    public let otherObjects: [TLV]
    /// What was unexpected for an Apple wallet; empty for other wallets that name themselves.
    public let oddities: [VASOddity]
    /// The answer's data field as received.
    public let data: [UInt8]

    /// Whether the Apple VAS protocol goes on from here: the name is `ApplePay`, or there is no name but Apple's
    /// version and capabilities.
    public var isApple: Bool {
        wallet == .applePay || (wallet == nil && applicationVersion != nil && capabilities != nil)
    }

    /// Reads the data field of a successful SELECT, whatever its bytes.
    public init(data: some Collection<UInt8>) {
        let data = Array(data)
        var objects = LenientObjects(data[...], opening: [VASTag.fciTemplate])
        if !objects.objects.contains(where: { $0.tag == VASTag.walletName }) {
            objects = LenientObjects(data[...], opening: [VASTag.fciTemplate, VASTag.fciProprietaryTemplate])
        }
        wallet = objects.take(VASTag.walletName).map { VASWallet(rawValue: String(decoding: $0, as: UTF8.self)) }
        applicationVersion = objects.take(VASTag.mobileVersion)
        deviceNonce = objects.take(VASTag.mobileNonce)
        capabilities = objects.take(VASTag.mobileCapabilities).map { VASDeviceCapabilities($0) }
        otherObjects = objects.objects
        self.data = data
        let checks = AppleChecks(
            wallet: wallet, version: applicationVersion, capabilities: capabilities, data: data, fault: objects.fault)
        oddities = wallet == nil || wallet == .applePay ? checks.oddities : checks.form
    }
}

/// What Apple's answer should be like. proxmark3 `cmdhfvas.c` refuses the phone on the version and capability rules;
/// here they are only reported.
private struct AppleChecks {
    let wallet: VASWallet?
    let version: [UInt8]?
    let capabilities: VASDeviceCapabilities?
    let data: [UInt8]
    let fault: TLVError?

    var oddities: [VASOddity] {
        form
            + [
                odd(.noName, wallet == nil, "the wallet gives no name (tag 50)"),
                odd(.version, version != [1, 0], "VAS version is \(text(version)), expected 0100 (tag 9F21)"),
                odd(
                    .capabilities, !usual,
                    "capabilities are \(text(capabilities?.bytes)), not of a known form (tag 9F23)"),
            ].compactMap { $0 }
    }

    var form: [VASOddity] {
        let isEmpty = data.isEmpty
        return [
            odd(.malformed, isEmpty, "the SELECT answer has no data"),
            fault.flatMap { odd(.malformed, true, "the SELECT answer is malformed: \($0)") },
            odd(
                .noTemplate, !isEmpty && data.first(where: { $0 != 0 }) != 0x6F, "the SELECT answer has no template 6F"),
        ].compactMap { $0 }
    }

    private var usual: Bool {
        guard let capabilities, capabilities.bytes.count == 4 else { return false }
        return capabilities.bytes.prefix(3).allSatisfy { $0 == 0 } && capabilities.vasSupported
    }

    private func odd(_ code: VASOddity.Code, _ holds: Bool, _ text: String) -> VASOddity? {
        holds ? VASOddity(code: code, text: text) : nil
    }

    private func text(_ bytes: [UInt8]?) -> String { bytes.map { Hex.encode($0) } ?? "missing" }
}
