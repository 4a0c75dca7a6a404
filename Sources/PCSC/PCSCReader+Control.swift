// SPDX-License-Identifier: Apache-2.0

import CPCSCLite
public import ISO7816

extension PCSCReader {
    /// The control code that PC/SC forms from a number (SCARD_CTL_CODE). Escape commands of CCID readers are 1 on
    /// Linux and 3500 elsewhere.
    public static func controlCode(_ number: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: countertop_control_code(DWORD(number)))
    }

    /// Sends bytes to the reader itself, on a direct connection that needs no card (SCardControl).
    ///
    /// - Parameters:
    ///   - code: a control code, see ``controlCode(_:)``.
    ///   - bytes: the command, at most 65,000 bytes.
    /// - Returns: what the reader answered, possibly nothing.
    /// - Throws: `CardChannelError`; `unsupported` or `other` with the raw code when the driver refuses.
    public func control(code: UInt32, _ bytes: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        try await controlled { session, name in
            try session.withControl(of: name) { control in try control(code, bytes) }
        }
    }

    /// The vendor's name as the driver has it, nil when it does not tell.
    public func vendorName() async throws(CardChannelError) -> String? {
        try await controlled { session, name in try session.vendorName(of: name) }
    }

    func controlled<Value: Sendable>(
        _ body: @escaping @Sendable (isolated ReaderSession, String) throws -> Value
    ) async throws(CardChannelError) -> Value {
        let name = name
        do {
            return try await slot.run { session in try body(session, name) }
        } catch let error as PCSCError {
            throw CardChannelError(error)
        } catch let error as CardChannelError {
            throw error
        } catch {
            throw CardChannelError(.other, reason: "\(error)")
        }
    }
}
