// SPDX-License-Identifier: Apache-2.0

/// A reader for Wallet passes and contactless cards.
///
/// Prepare it, then read with the session that ``prepare(using:)`` returns. Which hardware, emulated phone or trace
/// stands behind it is the ``Counter``'s affair; without one, the environment says so (see the article Choices).
///
/// Usable from any thread.
@available(iOS 15.4, macCatalyst 17.0, *)
public class PaymentCardReader: @unchecked Sendable {
    /// Whether this device model can read cards. Here: yes, unless `COUNTERTOP_CONDITIONS` holds `modelNotSupported`.
    public static let isSupported = !Counter.standard.conditions.contains { $0.name == .modelNotSupported }

    /// A reader on the process's own counter, which the environment describes.
    public convenience init(options: PaymentCardReader.Options = .init()) {
        self.init(options: options, counter: .standard)
    }

    /// A reader on a counter of one's own. This initialiser is countertop's; Apple's module has none like it.
    ///
    /// - Parameters:
    ///   - options: as in Apple's initialiser.
    ///   - counter: which reader, under which conditions. Readers that share a counter share its busy rules.
    public init(options: PaymentCardReader.Options = .init(), counter: Counter) {
        let core = ReaderCore(counter: counter, options: options)
        self.core = core
        self.options = options
        events = core.stream
        identifier = core.id
    }

    /// The reader object's own identifier.
    @available(*, deprecated, message: "Use ObjectIdentifier instead.")
    public final var id: String { identifier }

    /// Everything that happens on this reader: configuration progress and every read, in order.
    ///
    /// One stream for the reader's life, unbounded. Two loops over it share the events between them; cancelling the
    /// task of a loop ends the stream, as for every `AsyncStream`.
    @available(iOS 16.0, *)
    public final let events: AsyncStream<PaymentCardReader.Event>

    /// What the initialiser was given.
    @available(iOS 18.0, *)
    public final let options: PaymentCardReader.Options

    private final let identifier: String
    final let core: ReaderCore
}

@available(iOS 15.4, macCatalyst 17.0, *)
extension PaymentCardReader {
    /// The hardware's identifier, for support and tracing: the same for the same reader.
    ///
    /// - Throws: ``PaymentCardReaderError``.
    public var readerIdentifier: String {
        get async throws { try await core.readerIdentifier() }
    }

    /// Whether the token's merchant accepted the terms.
    ///
    /// - Throws: ``PaymentCardReaderError``.
    @available(iOS 16.4, *)
    public func isAccountLinked(using token: PaymentCardReader.Token) async throws -> Bool {
        try await core.isAccountLinked(using: token)
    }

    /// Lets the token's merchant accept the terms. A counter has no terms to show: it accepts by itself.
    ///
    /// - Throws: ``PaymentCardReaderError``, among them `accountAlreadyLinked`.
    public func linkAccount(using token: PaymentCardReader.Token) async throws {
        try await core.linkAccount(using: token)
    }

    /// Lets a merchant who accepted the terms accept them again. The token must permit it.
    ///
    /// - Throws: ``PaymentCardReaderError``.
    @available(iOS 16.1, *)
    public func relinkAccount(using token: PaymentCardReader.Token) async throws {
        try await core.relinkAccount(using: token)
    }

    /// Makes the reader ready and returns its session; the one it has, while that is good.
    ///
    /// - Throws: ``PaymentCardReaderError``.
    @available(iOS 16.0, *)
    public func prepare(using token: PaymentCardReader.Token) async throws -> PaymentCardReaderSession {
        try await core.prepare(using: token, progress: nil)
    }

    /// Makes the reader ready, telling a handler of the progress.
    ///
    /// - Parameters:
    ///   - token: the provider's token.
    ///   - updateHandler: called one at a time, on no particular thread; ``events`` gets the same.
    /// - Throws: ``PaymentCardReaderError``.
    @available(*, deprecated, message: "Use prepare(using:) and PaymentCardReader.events.")
    public func prepare(
        using token: PaymentCardReader.Token, updateHandler: ((UpdateEvent) -> Void)?
    ) async throws -> PaymentCardReaderSession {
        let handler = Unguarded { (event: PaymentCardReader.Event) in
            switch event {
            case .updateProgress(let percent): updateHandler?(.progress(percent))
            case .notReady: updateHandler?(.notReady)
            default: break
            }
        }
        return try await core.prepare(using: token, progress: handler)
    }
}
