// SPDX-License-Identifier: Apache-2.0

import ISO7816
public import WalletCrypto

/// Visa's blocks in their older format: ASCII, seven fields with hyphens, the last of which is hex of triple DES.
///
/// Known from FASTTACK, drvpereira/applepay-crypto and the documentation of OutSystems, Fiserv and Galileo. The width
/// of the length field inside is not settled in public: it is read whatever it is, and written as two digits.
public struct VisaBlock: Hashable, Sendable, Concealed {
    /// What a block holds.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Activation data: `nonce=<8 hex>;authcode=<6 characters>`.
        case activation = "MBPAC"
        /// The encrypted card: `pan=<digits>;expiry=<MMYY>;datetime=<yyyyMMddHHmmss>`.
        case card = "MBPAD"
    }

    /// What the block holds.
    public let kind: Kind
    /// The block's version, `1`.
    public let version: String
    /// The name of the key: `<key set>.<number>`.
    public let keySet: String
    /// The ciphertext.
    public let ciphertext: [UInt8]

    /// Version, key scheme and algorithm of this format.
    private static let (usualVersion, keyScheme, algorithm) = ("1", "FK", "TDEA")
    /// Blanks and random characters before the length (drvpereira/applepay-crypto).
    private static let headerCount = 6
    private static let padding = UInt8(ascii: "!")

    /// A block from its text.
    /// - Throws: `invalidActivation` with the field that is wrong, never its value.
    public init(text: String) throws(ProvisioningError) {
        let fields = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 7, let kind = Kind(rawValue: fields[0]) else {
            throw ProvisioningError(
                .invalidActivation, "A Visa block has seven fields with hyphens, the first MBPAC or MBPAD")
        }
        guard fields[2] == Self.keyScheme, fields[4].isEmpty, fields[5] == Self.algorithm else {
            throw ProvisioningError(.invalidActivation, "A Visa block has FK, an empty field and TDEA")
        }
        guard let ciphertext = BlobEncoding.hexUpper.decode(fields[6]), !ciphertext.isEmpty,
            ciphertext.count.isMultiple(of: TripleDES.blockCount)
        else { throw ProvisioningError(.invalidActivation, "A Visa block ends with hex of whole blocks of 8 bytes") }
        (self.kind, version, keySet, self.ciphertext) = (kind, fields[1], fields[3], ciphertext)
    }

    /// Encrypts `fields` under a key of 16 bytes.
    public init(
        _ kind: Kind, _ fields: [(name: String, value: String)], keySet: String, key: SecretBytes,
        random: (Int) -> [UInt8] = RandomBytes.generate
    ) throws(ProvisioningError) {
        let data = fields.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
        // Printable characters (drvpereira/applepay-crypto).
        let printable = random(4).map { 0x21 + $0 % 0x5E }
        let length = String(data.utf8.count)
        var clear = [0x20, 0x20] + printable + Array((length.utf8.count < 2 ? "0" + length : length).utf8)
        clear += data.utf8
        while !clear.count.isMultiple(of: TripleDES.blockCount) { clear.append(Self.padding) }
        do { ciphertext = try TripleDES.encryptCBC(clear, key: key) } catch { throw ProvisioningError(internal: error) }
        (self.kind, version, self.keySet) = (kind, Self.usualVersion, keySet)
    }

    /// The block as it is sent.
    public var text: String {
        [kind.rawValue, version, Self.keyScheme, keySet, "", Self.algorithm, Hex.encode(ciphertext)]
            .joined(separator: "-")
    }

    /// The fields inside, under a key of 16 bytes.
    /// - Throws: `invalidActivation` when what comes out is not fields: another key.
    public func open(with key: SecretBytes) throws(ProvisioningError) -> [String: String] {
        let clear: [UInt8]
        do { clear = try TripleDES.decryptCBC(ciphertext, key: key) } catch { throw ProvisioningError(internal: error) }
        let rest = clear.dropFirst(Self.headerCount)
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard clear.starts(with: [0x20, 0x20]), (1...4).contains(digits.count),
            let count = Int(String(decoding: digits, as: UTF8.self)),
            case let data = rest.dropFirst(digits.count), data.count >= count,
            data.dropFirst(count).allSatisfy({ $0 == Self.padding }),
            let text = String(validating: data.prefix(count), as: UTF8.self)
        else { throw ProvisioningError(.invalidActivation, "The Visa block does not open with this key") }
        var fields: [String: String] = [:]
        for part in text.split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, fields.updateValue(String(pair[1]), forKey: String(pair[0])) == nil else {
                throw ProvisioningError(.invalidActivation, "The Visa block has a field that is not name=value")
            }
        }
        return fields
    }
}
