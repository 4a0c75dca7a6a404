// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
public import ISO7816

/// GET VAS DATA, `80 CA 01 P2 Lc … 00` (kormax/apple-vas README, "Get VAS data").
///
/// The objects stand in the order 9F22, 9F28, 9F26, 9F25, 9F2B, 9F29; phones take any order.
public struct VASCommand: Hashable, Sendable {
    /// Terminal application version 1.0, the only one known (kormax/apple-vas README, tag 9F22).
    public static let terminalVersion: [UInt8] = [0x01, 0x00]

    /// What is asked for.
    public let merchant: VASMerchant
    /// The value of tag 9F26.
    public let capabilities: VASTerminalCapabilities
    /// The value of tag 9F28, four bytes, or nil to send none. The answer does not depend on it.
    public let nonce: [UInt8]?

    /// A command for one merchant.
    public init(_ merchant: VASMerchant, capabilities: VASTerminalCapabilities, nonce: [UInt8]?) {
        (self.merchant, self.capabilities, self.nonce) = (merchant, capabilities, nonce)
    }

    /// P2: 01 asks for a pass, 00 only hands over the URL (the numbers of CoreNFC's `mode`, Apple documentation).
    public var p2: UInt8 { merchant.urlOnly ? 0x00 : 0x01 }

    /// The data field, any length; the merchant's hash and filter are left out of a URL-only command.
    public var data: [UInt8] {
        TLVBuilder.build { builder in
            builder.append(VASTag.terminalVersion, Self.terminalVersion)
            if let nonce { builder.append(VASTag.terminalNonce, nonce) }
            builder.append(VASTag.terminalCapabilities, capabilities.bytes)
            if !merchant.urlOnly {
                builder.append(VASTag.merchantID, merchant.merchantID)
                if let filter = merchant.filter { builder.append(VASTag.filter, filter) }
            }
            if let url = merchant.url, !url.isEmpty { builder.append(VASTag.url, Array(url.utf8)) }
        }
    }

    /// The command as sent, with Le 00.
    ///
    /// - Throws: ``VASError`` with code `invalidRequest` and the first fatal problem of the merchant.
    public func apdu() throws(VASError) -> CommandAPDU {
        if let problem = merchant.problems.first(where: \.isFatal) {
            throw VASError(.invalidRequest, reason: problem.text)
        }
        let data = data
        guard data.count <= VASMerchant.commandDataLimit,
            let command = try? CommandAPDU(cla: 0x80, ins: 0xCA, p1: 0x01, p2: p2, data: data, ne: 256)
        else {
            throw VASError(.invalidRequest, reason: "the request has \(data.count) bytes, more than a command takes")
        }
        return command
    }
}
