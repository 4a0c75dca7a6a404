// SPDX-License-Identifier: Apache-2.0

import CounterServer

/// The parts of a request that this project reads itself: target, query, accepted types.
@Sendable func fuzzRequest(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = AcceptedTypes(text).best(of: ["application/json", "text/event-stream", "text/plain"])
    guard let target = try? RequestTarget(parsing: text) else { return }
    precondition(target.segments.dropLast().allSatisfy { !$0.isEmpty }, "an empty segment was let through")
    for segment in target.segments {
        precondition(segment != ".." && segment != ".", "a dot segment was let through")
        precondition(!segment.utf8.contains { $0 < 0x20 || $0 == 0x2F || $0 == 0x5C }, "a separator was let through")
    }
}
