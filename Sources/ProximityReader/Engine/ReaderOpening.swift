// SPDX-License-Identifier: Apache-2.0

internal import EmulatedWallet
internal import ISO7816

extension ReaderChoice {
    /// Opens the reader.
    ///
    /// - Throws: `CardChannelError` with `serviceGone`, `readerGone`, or `other` for a file that cannot be used.
    func open() async throws(CardChannelError) -> any CardReader {
        switch self {
        case .pcsc(let name): return try await Self.openPCSC(name)
        case .emulated(let file):
            do { return EmulatedReader(EmulatedPhone(try .load(path: file)), name: "emulated:\(file)") } catch {
                throw CardChannelError(.other, reason: error.reason, hint: error.hint)
            }
        case .emulatedPhone(let phone): return EmulatedReader(phone)
        case .replay(let file): return try Self.openTrace(file)
        case .custom(let reader): return reader
        }
    }

    private static func openPCSC(_ name: String?) async throws(CardChannelError) -> any CardReader {
        throw CardChannelError(.readerGone, reason: "PC/SC readers are not built in yet")
    }

    private static func openTrace(_ file: String) throws(CardChannelError) -> any CardReader {
        throw CardChannelError(.readerGone, reason: "traces are not built in yet")
    }
}
