// SPDX-License-Identifier: Apache-2.0

internal import InAppProvisioning

/// The checks of the conformance report that the emulated Wallet makes itself, by their stable names.
extension ConformanceCheck {
    private static func known(_ id: String) -> ConformanceCheck {
        named(id) ?? ConformanceCheck(id, id, .fail, source: "", symptom: "")
    }

    static let entitlement = known("P-entitlement")
    static let scheme = known("P-scheme")
    static let alreadyPresenting = known("P-one-sheet")

    static let delegate = known("H-delegate")
    static let inTime = known("H-in-time")
    static let failureReported = known("H-failure-reported")
    static let once = known("H-once")
    static let notLate = known("H-not-late")
    static let notAfterCancel = known("H-not-after-cancel")
    static let notEmpty = known("H-not-empty")
    static let fast = known("R-fast")

    static let statusInTime = known("X-status-in-time")
    static let statusOnce = known("X-status-once")
    static let entriesInTime = known("X-entries-in-time")
    static let entriesOnce = known("X-entries-once")
    static let entryComplete = known("X-entry-complete")
    static let entryArt = known("X-entry-art")
    static let entryUnique = known("X-entry-unique")
    static let entryStable = known("X-entry-stable")
    static let statusAgrees = known("X-status-agrees")
    static let listsAgree = known("X-lists-agree")
    static let requestThere = known("X-request")
    static let authorization = known("X-authorization")

    static let deviceLacksCard = known("W-device-lacks-card")
    static let accountNamed = known("W-account-named")
    static let availabilityRule = known("W-availability")
    static let association = known("W-association")

    /// What a sheet shows before the app is asked for anything.
    static let sheetChecks = [entitlement, alreadyPresenting, deviceLacksCard, accountNamed, association]
    /// What the app's answer shows.
    static let handlerChecks = [
        delegate, inTime, failureReported, once, notLate, notAfterCancel, notEmpty, fast,
    ]
    /// What a visit to an extension shows.
    static let extensionChecks = [
        statusInTime, statusOnce, entriesInTime, entriesOnce, entryComplete, entryArt, entryUnique, entryStable,
        statusAgrees, listsAgree, authorization, requestThere,
    ]
}

extension ConformanceResult {
    /// A violation of a rule.
    init(violated check: ConformanceCheck, _ evidence: String = "") {
        self.init(check, check.violation, evidence)
    }
}

extension ConformanceReport {
    /// One report of several: the worst verdict on each check.
    static func merged(_ reports: [ConformanceReport], _ results: [ConformanceResult]) -> ConformanceReport {
        let order: [ConformanceVerdict] = [.notVerifiable, .pass, .warn, .fail]
        var worst: [String: ConformanceResult] = [:]
        for result in reports.flatMap(\.results) + results {
            let known = worst[result.id].flatMap { order.firstIndex(of: $0.verdict) } ?? -1
            if (order.firstIndex(of: result.verdict) ?? 0) > known { worst[result.id] = result }
        }
        var mistakes: [EnvelopeMistake] = []
        for mistake in reports.flatMap(\.mistakes) where !mistakes.contains(mistake) { mistakes.append(mistake) }
        return ConformanceReport(Array(worst.values), mistakes: mistakes)
    }

    /// The same without the violations of these checks, which follow from others.
    func explaining(_ ids: Set<String>) -> ConformanceReport {
        ConformanceReport(
            results.map { ids.contains($0.id) ? ConformanceResult($0.check, .notVerifiable, "see group X") : $0 },
            mistakes: mistakes)
    }
}
