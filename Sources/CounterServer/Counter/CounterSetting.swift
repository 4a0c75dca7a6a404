// SPDX-License-Identifier: Apache-2.0

public import AppleVAS
public import Foundation
public import Logging
public import ProximityReader

/// What a ``CounterService`` works with.
public struct CounterSetting: Sendable {
    /// When an emulated phone taps.
    public enum Tap: Hashable, Sendable {
        /// When ``CounterControl/tapOnce()`` says so.
        case manual
        /// On its own, this long after the last tap ended.
        case every(Duration)
    }

    /// Where taps come from. An emulated phone is tapped as ``tap`` says.
    public var reader: ReaderChoice
    /// See ``Tap``.
    public var tap = Tap.manual
    /// `vas`, `pay` or `vasAndPay`, as it stands in events.
    public var mode = "vas"
    /// The keys that open pass data.
    public var ring = VASKeyRing()
    /// How payment cards are read.
    public var payment = PaymentSetup()
    /// Whether a reader is sent its polling frames.
    public var wakesPhone = false
    /// How long `done` and `retry` are shown.
    public var linger = Duration.seconds(2)
    /// Where lines go.
    public var logger = Logger(label: "countertop.counter", factory: { _ in SwiftLogNoOpLogHandler() })
    let request: ReadRequest

    /// A counter that reads passes, a payment card, or both in one tap.
    ///
    /// - Parameters:
    ///   - reader: where taps come from.
    ///   - passes: pass type identifiers, each with the URL where a phone without the pass is sent.
    ///   - payment: an amount with its currency, three letters of ISO 4217; nil reads passes alone.
    public init(
        reader: ReaderChoice, passes: [(id: String, url: URL?)], payment: (amount: Decimal, currency: String)? = nil
    ) {
        self.reader = reader
        request = ReadRequest(passes: passes.map { .init(id: $0.id, url: $0.url) }, payment: payment)
        mode = payment == nil ? "vas" : passes.isEmpty ? "pay" : "vasAndPay"
    }

    /// Each contact is a read of its own: what one phone handed out is never mixed with another's.
    func policy(isEmulated: Bool) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.maximumTornTaps = 0
        if isEmulated { (policy.activationTaps, policy.pollInterval) = (1, .zero) }
        return policy
    }

    /// The engine's lines about payments are of interest where there are some.
    var engineLogger: Logger {
        var quiet = logger
        if request.payment == nil, quiet.logLevel > .debug { quiet.logLevel = max(quiet.logLevel, .warning) }
        return quiet
    }

    /// Whether a phone that was read has to go before the next read. Traces have nobody who goes.
    var waitsForRemoval: Bool {
        switch reader {
        case .pcsc, .custom: true
        case .emulated, .emulatedPhone, .replay: false
        }
    }

    /// What the pages call the kind of reader.
    var kind: String {
        switch reader {
        case .pcsc: "pcsc"
        case .emulated, .emulatedPhone: "emulated"
        case .replay: "replay"
        case .custom: "custom"
        }
    }
}
