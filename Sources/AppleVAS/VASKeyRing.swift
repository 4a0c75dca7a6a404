// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WalletCrypto

/// The keys with which a counter opens pass data. A value; it cannot be printed.
///
/// A pass type can have several keys, for rotation: a payload names its key by a four-byte id. Where two keys share an
/// id, each is tried; keys of other ids never are.
public struct VASKeyRing: Sendable, CustomStringConvertible, CustomReflectable {
    private var byID: [VASKeyID: [VASKey]] = [:]
    private var contexts: [String: VASKeyContext] = [:]

    /// The keys, in the order added.
    public private(set) var keys: [VASKey] = []

    /// An empty ring.
    public init() {}

    /// Adds a key for one pass type, or for any with nil.
    ///
    /// - Parameters:
    ///   - key: the private half of the pass's `encryptionPublicKey`.
    ///   - passTypeIdentifier: the pass type it opens; nil for any.
    ///   - validFrom: the first moment at which it opens payloads; nil is always.
    ///   - validUntil: the first moment at which it no longer does; nil is never.
    public mutating func add(
        _ key: P256PrivateKey, passTypeIdentifier: String? = nil, validFrom: Date? = nil, validUntil: Date? = nil
    ) {
        add(VASKey(key, passTypeIdentifier: passTypeIdentifier, validFrom: validFrom, validUntil: validUntil))
    }

    /// Adds a key.
    public mutating func add(_ key: VASKey) {
        keys.append(key)
        byID[key.id, default: []].append(key)
        if let identifier = key.passTypeIdentifier { prepare(passTypeIdentifier: identifier) }
    }

    /// Computes once what opening passes of this type needs; only saves time, and only for keys for any pass type.
    public mutating func prepare(passTypeIdentifier identifier: String) {
        if contexts[identifier] == nil { contexts[identifier] = VASKeyContext(passTypeIdentifier: identifier) }
    }

    /// The ids of the keys that open passes of this type, in the order added, each once.
    public func keyIDs(for passTypeIdentifier: String) -> [VASKeyID] {
        var ids: [VASKeyID] = []
        for key in keys where key.opens(passTypeIdentifier) && !ids.contains(key.id) { ids.append(key.id) }
        return ids
    }

    /// Opens the value of tag 9F27.
    ///
    /// - Parameters:
    ///   - cryptogram: the whole value, at least 56 bytes.
    ///   - passTypeIdentifier: the pass type it was read for.
    ///   - date: when it was read, which decides between keys with validity dates.
    public func decrypt(
        _ cryptogram: [UInt8], passTypeIdentifier: String, at date: Date = Date()
    ) -> Result<VASPayload, VASPayloadFailure> {
        do throws(VASPayloadFailure) {
            let parsed = try VASCryptogram(cryptogram)
            let candidates = try candidates(for: parsed, passTypeIdentifier, at: date)
            return .success(try open(parsed, with: candidates, passTypeIdentifier))
        } catch {
            return .failure(error)
        }
    }

    /// How many keys, never the keys.
    public var description: String { "key ring with \(keys.count) keys" }

    /// No children: a dump shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension VASKeyRing {
    /// The keys to try, those of the pass type before those for any.
    private func candidates(
        for cryptogram: VASCryptogram, _ passTypeIdentifier: String, at date: Date
    ) throws(VASPayloadFailure) -> [VASKey] {
        let matching = (byID[cryptogram.keyID] ?? []).filter { $0.opens(passTypeIdentifier) }
        guard !matching.isEmpty else { throw unknownKey(cryptogram, passTypeIdentifier) }
        let valid = matching.filter { $0.isValid(at: date) }
        guard !valid.isEmpty else {
            let reason = "the key \(cryptogram.keyID) is there, but not valid at the time of the read"
            let hint = "check the key's validity dates and the clock"
            throw VASPayloadFailure(.keyNotValid, reason: reason, hint: hint, cryptogram: cryptogram.bytes)
        }
        guard valid.count > 1 else { return valid }
        return valid.filter { $0.passTypeIdentifier != nil } + valid.filter { $0.passTypeIdentifier == nil }
    }

    private func unknownKey(_ cryptogram: VASCryptogram, _ passTypeIdentifier: String) -> VASPayloadFailure {
        let known = keyIDs(for: passTypeIdentifier)
        let list = known.isEmpty ? "none" : known.map(\.description).joined(separator: ", ")
        let elsewhere = byID[cryptogram.keyID]?.compactMap(\.passTypeIdentifier).first
        return VASPayloadFailure(
            .unknownKey,
            reason: "no key \(cryptogram.keyID) for \(passTypeIdentifier); known: \(list)",
            hint: elsewhere.map { "this key id belongs to \($0)" }
                ?? "give the private key that belongs to the pass's encryptionPublicKey",
            known: known, cryptogram: cryptogram.bytes)
    }

    private func open(
        _ cryptogram: VASCryptogram, with keys: [VASKey], _ passTypeIdentifier: String
    ) throws(VASPayloadFailure) -> VASPayload {
        let context = contexts[passTypeIdentifier] ?? VASKeyContext(passTypeIdentifier: passTypeIdentifier)
        for key in keys {
            let opened: (Int, [UInt8])?
            do { opened = try context.open(cryptogram, with: key.privateKey) } catch {
                throw Self.failure(error, cryptogram)
            }
            guard let (method, plaintext) = opened else { continue }
            return VASPayload(
                passTypeIdentifier: passTypeIdentifier, keyID: key.id, method: method, plaintext: plaintext)
        }
        throw VASPayloadFailure(
            .authenticationFailed, reason: "the pass data does not verify with key \(cryptogram.keyID)",
            hint: "the data was changed, or was read for another pass type", cryptogram: cryptogram.bytes)
    }

    private static func failure(_ error: CryptoError, _ cryptogram: VASCryptogram) -> VASPayloadFailure {
        guard error.code == .invalidPoint else {
            return VASPayloadFailure(.internalFailure, reason: error.reason, cryptogram: cryptogram.bytes)
        }
        let reason = "the phone's one-time key is no point of P-256: no point has its X"
        return VASPayloadFailure(.invalidEphemeralKey, reason: reason, cryptogram: cryptogram.bytes)
    }
}
