// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816

/// A body must take any bytes; a trap, a sanitizer report or a time-out is a finding.
let fuzzTargets: [String: @Sendable ([UInt8]) -> Void] = [
    "tlv": fuzzTLV,
    "apdu": fuzzAPDU,
    "vas-answer": fuzzVASAnswer,
    "vas-cryptogram": fuzzVASCryptogram,
]

/// Reads, and what was read strictly must write back to the same bytes.
@Sendable func fuzzTLV(_ bytes: [UInt8]) {
    _ = try? TLVTree.read(bytes, rules: .lenient)
    guard let objects = try? TLV.read(bytes) else { return }
    let written = TLVBuilder.build { builder in
        for object in objects { builder.append(object.tag, object.value) }
    }
    precondition(written == bytes, "strict reading is not the inverse of writing")
}

/// Commands and responses; a command's fields must build the same command again.
@Sendable func fuzzAPDU(_ bytes: [UInt8]) {
    _ = (try? ResponseAPDU(bytes)).map { ($0.status.description, $0.data.count) }
    guard let command = try? CommandAPDU(bytes) else { return }
    let again = try? CommandAPDU(
        cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2, data: command.data, ne: command.ne,
        extended: command.isExtended)
    precondition(again == command, "a command's fields do not build it again")
}
