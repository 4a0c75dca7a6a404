// SPDX-License-Identifier: Apache-2.0

public import BERTLV
public import ISO7816

/// What the wallet answered for one merchant.
public struct VASEntry: Hashable, Sendable {
    /// What was asked for.
    public let merchant: VASMerchant
    /// SW1-SW2 as received.
    public let statusWord: StatusWord
    /// The encrypted pass data: the whole value of tag 9F27, at least 56 bytes when it is sound; nil when there is
    /// none. Open it with ``VASKeyRing``.
    public let cryptogram: [UInt8]?
    /// The value of tag 9F2A; empty on every phone seen, nil when absent.
    public let mobileToken: [UInt8]?
    /// Objects this version does not know, in order.
    public let otherObjects: [TLV]
    /// What was unexpected: a body that cannot be read, or success without pass data.
    public let oddities: [VASOddity]
    /// The answer's data field as received, so that nothing is lost when it cannot be read.
    public let data: [UInt8]

    /// What the status word means.
    public var status: VASStatus { VASStatus(statusWord) }

    /// Reads an answer, whatever its bytes. Template 70 may be absent, empty, in long form, cut off or followed by
    /// padding; the objects may stand in any order.
    public init(merchant: VASMerchant, response: ResponseAPDU) {
        let data = Array(response.data)
        var objects = LenientObjects(data[...], opening: [VASTag.responseTemplate])
        self.merchant = merchant
        statusWord = response.status
        cryptogram = objects.take(VASTag.cryptogram)
        mobileToken = objects.take(VASTag.mobileToken)
        otherObjects = objects.objects
        self.data = data
        var oddities: [VASOddity] = []
        if let fault = objects.fault {
            oddities.append(VASOddity(code: .malformed, text: "the answer's data is malformed: \(fault)"))
        } else if cryptogram == nil, statusWord == .success, !merchant.urlOnly {
            oddities.append(VASOddity(code: .noPassData, text: "the phone reports success but sent no pass data"))
        }
        self.oddities = oddities
    }
}
