// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// A card's master key, or one of its session keys: two-key triple DES with odd parity. Nothing prints it.
public struct CardKey: Sendable, CustomStringConvertible {
    private let key: SecretBytes

    /// Takes 16 bytes and sets their parity bits.
    public init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        guard bytes.count == 16 else { throw CryptoError(.invalidKey, "a card key has 16 bytes") }
        self.init(oddParity: Array(bytes))
    }

    init(oddParity bytes: [UInt8]) {
        // Parity bits of DES (FIPS 46-3): the lowest bit makes the number of ones odd.
        key = SecretBytes(
            copying: bytes.map { byte in (byte & 0xFE).nonzeroBitCount.isMultiple(of: 2) ? byte | 1 : byte & 0xFE })
    }

    /// The first bytes of zeros encrypted: tells keys apart without showing them.
    public func checkValue(_ count: Int = 3) throws(CryptoError) -> [UInt8] {
        Array(try TripleDES.encrypt([UInt8](repeating: 0, count: 8), key: key).prefix(count))
    }

    /// Whether this is the key `bytes`, parity bits aside.
    public func isKey(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count == 16, let other = try? CardKey(bytes) else { return false }
        return key == other.key
    }

    /// A session key (EMV Book 2, A1.3.1): the diversifier with `F0`, then with `0F` in its third byte, encrypted.
    ///
    /// - Parameter diversifier: eight bytes.
    public func sessionKey(diversifier: [UInt8]) throws(CryptoError) -> CardKey {
        guard diversifier.count == 8 else {
            throw CryptoError(.invalidParameter, "a session key's diversifier has 8 bytes")
        }
        let halves = try [0xF0, 0x0F].map { (byte: UInt8) throws(CryptoError) in
            var block = diversifier
            block[2] = byte
            return try TripleDES.encrypt(block, key: key)
        }
        return CardKey(oddParity: halves.flatMap { $0 })
    }

    /// The session key of a transaction as a cryptogram version wants it.
    ///
    /// - Parameters:
    ///   - version: the cryptogram version.
    ///   - counter: tag 9F36, two bytes.
    ///   - unpredictableNumber: tag 9F37, four bytes.
    public func sessionKey(
        for version: CryptogramVersion, counter: [UInt8], unpredictableNumber: [UInt8]
    ) throws(CryptoError) -> CardKey {
        switch version.sessionKey {
        case .masterKey: self
        case .common: try sessionKey(diversifier: counter + [0, 0, 0, 0, 0, 0])
        case .unpredictable: try sessionKey(diversifier: counter + [0, 0] + unpredictableNumber)
        }
    }

    /// An application cryptogram: the retail MAC, eight bytes (EMV Book 2, 8.1).
    public func cryptogram(
        _ data: some Collection<UInt8>, padding: RetailMAC.Padding = .method2
    ) throws(CryptoError) -> [UInt8] {
        try RetailMAC.authenticate(data, key: key, padding: padding)
    }

    /// The issuer's answer, method 1 (EMV Book 2, 8.2.1): eight bytes.
    ///
    /// - Parameters:
    ///   - cryptogram: tag 9F26.
    ///   - responseCode: the authorisation response code, two bytes.
    public func answer(to cryptogram: [UInt8], responseCode: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard cryptogram.count == 8, responseCode.count == 2 else {
            throw CryptoError(.invalidParameter, "a cryptogram has 8 bytes, a response code 2")
        }
        let padded = responseCode + [0, 0, 0, 0, 0, 0]
        return try TripleDES.encrypt(zip(cryptogram, padded).map { $0 ^ $1 }, key: key)
    }

    /// The issuer's answer, method 2 (EMV Book 2, 8.2.2): four bytes.
    ///
    /// - Parameters:
    ///   - cryptogram: tag 9F26.
    ///   - statusUpdate: card status update, four bytes.
    ///   - proprietary: proprietary authentication data, 0 to 8 bytes.
    public func answer(
        to cryptogram: [UInt8], statusUpdate: [UInt8], proprietary: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        guard cryptogram.count == 8, statusUpdate.count == 4, proprietary.count <= 8 else {
            throw CryptoError(.invalidParameter, "a cryptogram has 8 bytes, a status update 4, more data at most 8")
        }
        return Array(
            try RetailMAC.authenticate(cryptogram + statusUpdate + proprietary, key: key, padding: .method2).prefix(4))
    }

    /// A dynamic card verification code of mag-stripe mode (Book C-2, mag-stripe): 0 to 65,535.
    ///
    /// - Parameters:
    ///   - track: the static track data.
    ///   - unpredictableNumber: four bytes, BCD.
    ///   - counter: two bytes.
    public func verificationCode(
        track: some Collection<UInt8>, unpredictableNumber: [UInt8], counter: [UInt8]
    ) throws(CryptoError) -> UInt16 {
        guard unpredictableNumber.count == 4, counter.count == 2 else {
            throw CryptoError(.invalidParameter, "an unpredictable number has 4 bytes, a counter 2")
        }
        let initial = try RetailMAC.authenticate(track, key: key, padding: .method2).suffix(2)
        let code = try TripleDES.encrypt(initial + unpredictableNumber + counter, key: key).suffix(2)
        return code.reduce(0) { $0 << 8 | UInt16($1) }
    }

    /// That it is a key, and no more.
    public var description: String { "<card key>" }
}

extension CardKey: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
