// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ISO7816

internal import struct Foundation.Data

/// The answers of a read over all its taps, one place for each merchant.
struct EntryLedger: Sendable {
    private var answers: [VASEntry?]
    private let merchants: [VASMerchant]

    init(_ merchants: [VASMerchant]) {
        self.merchants = merchants
        answers = Array(repeating: nil, count: merchants.count)
    }

    /// Takes a tap's answers, which stand in the merchants' order and may stop early. A pass that was handed out is
    /// kept: the phone gives it once per authentication, and answers 6287 the next time.
    mutating func merge(_ entries: [VASEntry]) {
        for (index, entry) in entries.enumerated() where index < answers.count {
            if answers[index]?.statusWord == .success, entry.statusWord != .success { continue }
            answers[index] = entry
        }
    }

    private var known: [VASEntry] { answers.compactMap(\.self) }

    /// Whether at least one merchant was served.
    var hasSuccess: Bool { known.contains { $0.statusWord == .success } }

    /// Whether the phone is locked: something waits for its owner, and nothing was handed out.
    var isLocked: Bool { !hasSuccess && known.contains { $0.status == .notActivated } }

    /// Whether anything that Apple's API has a case for was answered, and not only successes without a pass.
    var isReadable: Bool {
        known.contains { entry in
            guard StatusMapping.isExact(entry.statusWord) else { return false }
            return entry.statusWord != .success || entry.cryptogram != nil || entry.merchant.urlOnly
        }
    }

    /// The result's entries. A merchant that no tap got to counts as not found.
    var entries: [VASReadResult.ReadEntry] {
        zip(merchants, answers).map { merchant, answer in
            guard let answer else {
                return .init(id: merchant.passTypeIdentifier, customerVASData: nil, status: .vasDataNotFound)
            }
            return .init(
                id: merchant.passTypeIdentifier, customerVASData: answer.cryptogram.map { Data($0) },
                status: StatusMapping.status(answer.statusWord), statusWord: answer.statusWord.rawValue)
        }
    }
}
