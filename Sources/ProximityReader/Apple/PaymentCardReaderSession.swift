// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Date

/// A prepared reader: one read after another, one at a time on a counter.
///
/// ``PaymentCardReader/prepare(using:)`` makes it. It is good until the app goes to the background, the counter loses
/// it, or its token expires. Usable from any thread.
@available(iOS 15.4, macCatalyst 17.0, *)
public class PaymentCardReaderSession: @unchecked Sendable {
    /// What `prepare` makes; apps cannot.
    package init(life: SessionLife, osVersionDeprecationDate: Date?) {
        self.life = life
        currentOSVersionDeprecationDate = osVersionDeprecationDate
    }

    /// The session object's own identifier.
    @available(*, deprecated, message: "Use ObjectIdentifier instead.")
    public final var id: String { life.id }

    /// Update the operating system before this date to go on reading; nil when there is none. The counter sets it.
    @available(iOS 18.4, *)
    public final let currentOSVersionDeprecationDate: Date?

    final let life: SessionLife

    /// Ends the read that this session has on the screen, if no card is detected yet.
    ///
    /// - Returns: true when a read was cancelled; it then throws ``ReadError/readCancelled``. false when there is no
    ///   read, or a card was detected before.
    /// - Throws: nothing so far.
    public func cancelRead() async throws -> Bool {
        await life.core.counter.engine.cancelRead(of: life)
    }

    /// Reads loyalty passes.
    ///
    /// - Returns: one entry for each merchant, in the request's order.
    /// - Throws: ``ReadError``.
    @available(iOS 16.0, *)
    public func readVAS(_ request: VASRequest) async throws -> VASReadResult {
        try await life.core.readVAS(request, in: life, handler: nil)
    }

    /// Reads loyalty passes, telling a handler of what happens.
    ///
    /// - Parameters:
    ///   - request: what to read.
    ///   - eventHandler: called one at a time, on no particular thread; the reader's events get the same.
    /// - Throws: ``ReadError``.
    @available(*, deprecated, message: "Use readVAS(_:) and PaymentCardReader.events.")
    public func readVAS(
        _ request: VASRequest, eventHandler: ((PaymentCardReaderSession.Event) -> Void)? = nil
    ) async throws -> VASReadResult {
        try await life.core.readVAS(request, in: life, handler: Unguarded(old: eventHandler))
    }

    /// Captures the PIN that the issuer of an earlier read asks for, at the counter's PIN pad.
    ///
    /// Within 55 seconds of the read; later it throws ``ReadError/pinNotAllowed``.
    /// - Parameters:
    ///   - token: the provider's permission for this transaction. See ``PINCaptureToken``.
    ///   - cardReaderTransactionID: the identifier of the earlier result.
    /// - Returns: the earlier result with the sealed PIN in it; where, is in the article Choices.
    /// - Throws: ``ReadError``.
    @available(iOS 16.0, *)
    public func capturePIN(
        using token: PINToken, cardReaderTransactionID: String
    ) async throws -> PaymentCardReadResult {
        try await life.core.capturePIN(token, cardReaderTransactionID, in: life)
    }

    /// The provider's permission to capture a PIN. Nothing is checked before it is used.
    @available(iOS 16.0, *)
    public struct PINToken: RawRepresentable, Hashable, Sendable {
        /// The token as the provider gave it.
        public let rawValue: String

        /// Takes any string.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

/// An app's handler on its way through the engine, which calls it from one place at a time, as the deprecated forms of
/// the API promise. Their closures are not marked `Sendable`, and cannot be without breaking source.
struct Unguarded: @unchecked Sendable {
    let call: (PaymentCardReader.Event) -> Void

    init(_ call: @escaping (PaymentCardReader.Event) -> Void) { self.call = call }
}
