// SPDX-License-Identifier: Apache-2.0

import LoyaltyFeed

/// Bodies of events; what was read must write to a body that reads back to the same, on one line.
@Sendable func fuzzTapEvent(_ bytes: [UInt8]) {
    guard let event = try? TapEvent(body: bytes) else { return }
    let body = event.body
    precondition(!body.contains(0x0A), "a body has more than one line")
    precondition((try? TapEvent(body: body))?.body == body, "an event does not read back")
    _ = TapEvent.text(ofMessage: bytes)
}
