// SPDX-License-Identifier: Apache-2.0

public import Foundation
import WalletCrypto

/// Events that nobody's tap made, to try a sink out: of the type ``TapEvent/Kind/test``, with the sequence 0, and with
/// `{"test":true}` as their basket, so that data alone shows it too.
public enum TestEvent {
    /// What passes have as their message, when nothing else is said.
    public static let member = "TEST-MEMBER"

    /// A test event, in the form of a loyalty event.
    public static func make(_ context: SinkContext, member: String = member, at time: Date = Date()) -> OutgoingEvent {
        let milliseconds = UInt64(max(0, EventTime.milliseconds(time)))
        let id = ULID(milliseconds: milliseconds, random: RandomBytes.generate(10))
        let counter = CounterIdentity(id: context.counterID, tenant: context.tenant, store: context.store)
        return make(id: id, source: counter.source, member: member, at: time)
    }

    /// The only maker of them.
    static func make(id: ULID, source: String, member: String = member, at time: Date) -> OutgoingEvent {
        var event = TapEvent(
            id: id, source: source, kind: .test, time: time, sequence: 0, readerName: "test", mode: "vas",
            latencyMilliseconds: 0)
        (event.member, event.passTypeIdentifier) = (member, "pass.test.countertop")
        event.basket = #"{"test":true}"#
        return OutgoingEvent(event)
    }
}
