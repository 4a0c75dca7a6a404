// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// What activation data look like. Wallet passes them on untouched; only a network, or a test with its keys, reads
/// them.
public enum ActivationFormat: Sendable, Concealed {
    /// Visa's MBPAC.
    case visa(VisaBlock)
    /// Mastercard's authentication value.
    case mastercard(AuthenticationValue)
    /// Something else.
    case opaque

    /// The format of some bytes.
    public init(_ bytes: [UInt8]) {
        if let text = String(validating: bytes, as: UTF8.self), let block = try? VisaBlock(text: text) {
            self = .visa(block)
        } else if let value = try? AuthenticationValue(json: bytes) {
            self = .mastercard(value)
        } else {
            self = .opaque
        }
    }

    /// Why bytes that begin like a known format are not of it; nil when they do not begin like one.
    static func fault(in bytes: [UInt8]) -> String? {
        do throws(ProvisioningError) {
            if VisaBlock.Kind.allCases.contains(where: { bytes.starts(with: "\($0.rawValue)-".utf8) }) {
                _ = try VisaBlock(text: String(decoding: bytes, as: UTF8.self))
            } else if bytes.first == UInt8(ascii: "{"), bytes.allSatisfy(isText) {
                // Opaque bytes may begin with a brace too, one time in 256.
                _ = try AuthenticationValue(json: bytes)
            }
            return nil
        } catch { return error.reason }
    }

    private static func isText(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) || (0x09...0x0D).contains(byte) }

    /// Its name for people.
    public var name: String {
        switch self {
        case .visa(let block): "Visa \(block.kind.rawValue)"
        case .mastercard(let value): "Mastercard TAV version \(value.version)"
        case .opaque: "opaque"
        }
    }
}

/// Test keys of networks, with which activation data can be read.
public struct ActivationKeys: Sendable, Concealed {
    /// Visa's, 16 bytes.
    public var visa: SecretBytes?
    /// The modulus with which Mastercard's values are checked.
    public var mastercardModulus: [UInt8]?
    /// The exponent that belongs to it.
    public var mastercardExponent: [UInt8]

    /// No keys, or some.
    public init(
        visa: SecretBytes? = nil, mastercardModulus: [UInt8]? = nil, mastercardExponent: [UInt8] = [0x01, 0x00, 0x01]
    ) {
        (self.visa, self.mastercardModulus) = (visa, mastercardModulus)
        self.mastercardExponent = mastercardExponent
    }
}
