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

    /// Takes a tap's answers, which may be fewer than there are merchants. A pass that was handed out is kept: the phone
    /// gives it once per authentication, and answers 6287 the next time.
    mutating func merge(_ entries: [VASEntry]) {
        for entry in entries {
            guard let index = merchants.firstIndex(of: entry.merchant) else { continue }
            if answers[index]?.statusWord == .success, entry.statusWord != .success { continue }
            answers[index] = entry
        }
    }

    private var known: [VASEntry] { answers.compactMap(\.self) }

    /// Whether at least one merchant was served.
    var hasSuccess: Bool { known.contains { $0.statusWord == .success } }

    /// Whether a pass was handed out.
    var hasPass: Bool { known.contains(where: \.isPass) }

    /// Whether an app has something of it: a pass, or a URL that the phone took.
    var hasResult: Bool { known.contains { $0.isPass || ($0.statusWord == .success && $0.merchant.urlOnly) } }

    /// Merchants that no phone answered with success so far, in the request's order.
    var unserved: [VASMerchant] {
        zip(merchants, answers).filter { $1?.statusWord != .success }.map(\.0)
    }

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
