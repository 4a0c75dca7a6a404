// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import EmulatedWallet
internal import ISO7816
internal import PCSC

extension ReaderChoice {
    /// Opens the reader.
    ///
    /// - Throws: `CardChannelError` with `serviceGone`, `readerGone`, or `other` for a file that cannot be used.
    func open(wakingPhone: Bool) async throws(CardChannelError) -> any CardReader {
        switch self {
        case .pcsc(let name): return try await Self.openPCSC(name, wakingPhone: wakingPhone)
        case .emulated(let file):
            do { return EmulatedReader(EmulatedPhone(try .load(path: file)), name: "emulated:\(file)") } catch {
                throw CardChannelError(.other, reason: error.reason, hint: error.hint)
            }
        case .emulatedPhone(let phone): return EmulatedReader(phone)
        case .replay(let file): return try Self.openTrace(file)
        case .custom(let reader): return reader
        }
    }

    private static func openPCSC(
        _ name: String?, wakingPhone: Bool
    ) async throws(CardChannelError) -> any CardReader {
        var options = PCSCReader.Options()
        options.wakesPhone = wakingPhone ? .vasOnly : nil
        do { return try await PCSCReader.first(matching: name, options: options) } catch {
            throw CardChannelError(error)
        }
    }

    private static func openTrace(_ file: String) throws(CardChannelError) -> any CardReader {
        do {
            // By meaning, because the terminal's nonce differs each time and a recorder may have asked for more.
            return try TraceReader(file: file, matching: .byMeaning)
        } catch {
            throw CardChannelError(.other, reason: "\(file): \(error)")
        }
    }
}
