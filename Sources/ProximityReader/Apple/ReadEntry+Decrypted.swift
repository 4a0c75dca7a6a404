// SPDX-License-Identifier: Apache-2.0

public import AppleVAS

public import struct Foundation.Date

@available(iOS 15.4, macCatalyst 17.0, *)
extension VASReadResult.ReadEntry {
    /// Opens ``customerVASData`` with the issuer's keys. countertop's own: Apple's module has no keys.
    ///
    /// - Parameters:
    ///   - keys: the private keys of the pass type.
    ///   - date: when it was read, which decides between keys with validity dates.
    /// - Returns: the payload, or why it does not open; nil when there is nothing to open.
    public func decrypted(
        with keys: VASKeyRing, at date: Date = Date()
    ) -> Result<VASPayload, VASPayloadFailure>? {
        customerVASData.map { keys.decrypt(Array($0), passTypeIdentifier: id, at: date) }
    }

    /// Whether ``customerVASData`` was made just now and comes for the first time. countertop's own.
    ///
    /// Pass data that was captured opens again at any time; this tells it from a tap.
    /// - Parameters:
    ///   - payload: what `decrypted(with:)` gave for this entry.
    ///   - freshness: kept over all reads, for it remembers what it has seen.
    ///   - date: when it was read.
    /// - Returns: the verdict; nil when the entry has no data.
    public func freshness(
        of payload: VASPayload, by freshness: VASFreshness, at date: Date = Date()
    ) -> VASFreshness.Verdict? {
        customerVASData.map { freshness.check(payload, cryptogram: Array($0), now: date) }
    }
}
