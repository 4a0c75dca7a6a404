// SPDX-License-Identifier: Apache-2.0

import ISO7816

extension PCSCReader {
    /// One session for questions that belong to no reader. It is kept, so that a daemon that does not answer costs
    /// two threads at most, however often one asks.
    private static let directory = SessionSlot(readerName: "pcscd", options: Options())

    /// The names of the readers that pcscd has now; empty when there is none.
    public static func readerNames() async throws(PCSCError) -> [String] {
        do {
            return try await directory.run { session in try session.readerNames() }
        } catch let error as PCSCError {
            throw error
        } catch let error as CardChannelError {
            let code = error.code == .cancelled ? PCSCError.cancelled : PCSCError.timeout
            throw PCSCError(rawCode: error.rawCode ?? code, reason: error.reason, hint: error.hint)
        } catch {
            throw PCSCError(rawCode: PCSCError.timeout, reason: "\(error)")
        }
    }

    /// The first reader, or the only one whose name contains `text`.
    ///
    /// - Parameters:
    ///   - text: compared without regard to case; an exact name wins over a part. nil takes the first reader.
    ///   - options: how the reader is used.
    /// - Throws: ``PCSCError`` that lists the readers when none or more than one fits. The slots of one reader (names
    ///   that differ in the last number only) count as one; its first slot is taken.
    public static func first(
        matching text: String? = nil, options: Options = Options()
    ) async throws(PCSCError) -> PCSCReader {
        PCSCReader(name: try select(text, from: try await readerNames()), options: options)
    }

    /// The rule of ``first(matching:options:)`` over a list of names.
    static func select(_ text: String?, from names: [String]) throws(PCSCError) -> String {
        guard let first = names.first else { throw PCSCError(rawCode: PCSCError.noReaders) }
        guard let text, !text.isEmpty else { return first }
        let wanted = text.lowercased()
        if let exact = names.first(where: { $0.lowercased() == wanted }) { return exact }
        let list = names.map { "“\($0)”" }.joined(separator: ", ")
        let found = names.filter { $0.lowercased().contains(wanted) }
        guard let chosen = found.first else {
            throw PCSCError(
                rawCode: PCSCError.unknownReader, reason: "no reader has “\(text)” in its name",
                hint: "the readers are: \(list)")
        }
        guard Set(found.map(withoutSlot)).count == 1 else {
            throw PCSCError(
                rawCode: PCSCError.duplicateReader, reason: "more than one reader has “\(text)” in its name",
                hint: "say more of the name; the readers are: \(list)")
        }
        return chosen
    }

    /// A name as pcscd forms it is the driver's name, the reader's number and the slot's number, each two hex digits.
    private static func withoutSlot(_ name: String) -> Substring {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        guard let last = words.last, words.count > 2, last.count == 2, last.allSatisfy(\.isHexDigit) else {
            return name[...]
        }
        return name.dropLast(3)
    }
}
