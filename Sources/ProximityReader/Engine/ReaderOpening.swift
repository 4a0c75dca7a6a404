// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import EmulatedWallet
internal import Foundation
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
            if let reader = otherTrace(file) { return reader }
            throw CardChannelError(.other, reason: "\(file): \(error)")
        }
    }

    /// What another tool wrote, when its text begins like JSON. Reads of it are sealed, so nothing is redacted.
    private static func otherTrace(_ file: String) -> (any CardReader)? {
        guard let data = FileManager.default.contents(atPath: file), data.first == UInt8(ascii: "{"),
            let trace = try? TraceImport(Array(data), redactor: nil).trace
        else { return nil }
        return TraceReader(trace, name: file, matching: .byMeaning)
    }
}
