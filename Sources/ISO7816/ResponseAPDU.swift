// SPDX-License-Identifier: Apache-2.0

/// A response APDU: validated bytes, 2 to 65,538 of them (ISO/IEC 7816-4, 5.1).
public struct ResponseAPDU: Hashable, Sendable {
    /// The response as it came from the card, status word last.
    public let bytes: [UInt8]

    /// Takes a response of at least two bytes.
    public init(_ bytes: [UInt8]) throws(APDUError) {
        guard bytes.count >= 2 else {
            throw APDUError(reason: "a response has at least 2 bytes, not \(bytes.count)", offset: bytes.count)
        }
        self.bytes = bytes
    }

    /// A response made of a data field and a status word.
    public init(data: some Sequence<UInt8> = [UInt8](), status: StatusWord) {
        bytes = Array(data) + status.bytes
    }

    /// The data field; a view of ``bytes``.
    public var data: ArraySlice<UInt8> { bytes.dropLast(2) }

    /// The status word.
    public var status: StatusWord { StatusWord(sw1: bytes[bytes.count - 2], sw2: bytes[bytes.count - 1]) }
}
