// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ISO7816

extension TagRow.Format {
    /// What a value says, in words; nil when there is nothing to add to its bytes.
    func meaning(_ value: [UInt8]) -> String? {
        switch self {
        case .template, .bytes: nil
        case .ascii: String(validating: value, as: UTF8.self).map { "\"\(Printable.text($0))\"" }
        case .version: value.count == 2 ? "\(value[0]).\(value[1])" : nil
        case .merchantID: value.count == 32 ? "SHA-256 of the pass type identifier" : "not 32 bytes"
        case .mobileCapabilities: Self.capabilities(VASDeviceCapabilities(value))
        case .terminalCapabilities: Self.terminal(value)
        case .cryptogram: Self.cryptogram(value)
        }
    }

    private static func capabilities(_ capabilities: VASDeviceCapabilities) -> String {
        let flags: [(Bool, String)] = [
            (capabilities.paymentReady, "payment ready"), (capabilities.paymentSkippable, "payment may be skipped"),
            (capabilities.vasSupported, "VAS supported"), (capabilities.vasSkippable, "VAS may be skipped"),
            (capabilities.encryptedData, "encrypted data"), (capabilities.plaintextData, "plaintext data"),
        ]
        let set = flags.filter(\.0).map(\.1)
        return set.isEmpty ? "no flag set" : set.joined(separator: ", ")
    }

    private static func terminal(_ value: [UInt8]) -> String? {
        guard value.count == 4, let mode = VASMode(rawValue: value[3] & 0x03) else { return "not 4 bytes" }
        return "mode \(mode.rawValue) (\(modes[mode] ?? "")), \(value[3] & 0x80 == 0 ? "last" : "more follow")"
    }

    private static let modes: [VASMode: String] = [
        .vasOrPayment: "VAS or payment", .vasAndPayment: "VAS and payment", .vasOnly: "VAS only",
        .paymentOnly: "payment only",
    ]

    private static func cryptogram(_ value: [UInt8]) -> String {
        do {
            let cryptogram = try VASCryptogram(value)
            return "encrypted for key \(cryptogram.keyID), message of \(cryptogram.ciphertext.count - 4) bytes"
        } catch { return error.reason }
    }
}
