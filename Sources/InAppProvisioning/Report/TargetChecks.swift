// SPDX-License-Identifier: Apache-2.0

/// Group P, as far as the property lists of an app and its extensions show it.
public enum TargetChecks {
    /// Results for an app and its extensions.
    public static func results(_ targets: [AppTarget]) -> [ConformanceResult] {
        let apps = targets.filter { $0.extensionPoint == nil }
        let extensions = targets.filter {
            [AppTarget.points.handler, AppTarget.points.screen].contains($0.extensionPoint)
        }
        var findings = Findings()
        if apps.isEmpty { findings.skip([.entitlement], "no app was found") }
        for app in apps {
            findings.expect(apps.contains(where: \.mayProvision), .entitlement, missing(app))
        }
        judge(extensions, targets, &findings)
        guard !extensions.isEmpty else {
            findings.skip([.extensionEntitlement], "no extension was found")
            return findings.results
        }
        for target in extensions where !target.mayProvision { findings.violate(.extensionEntitlement, missing(target)) }
        let groups = apps.filter(\.mayProvision).reduce(into: Set<String>()) { $0.formUnion($1.groups) }
        for target in extensions where target.mayProvision && target.groups.isDisjoint(with: groups) {
            findings.violate(.extensionEntitlement, "\(target.place) has no app group of the app's")
        }
        findings.pass(.extensionEntitlement)
        return findings.results
    }

    private static func missing(_ target: AppTarget) -> String {
        "\(target.place) has \(target.hasEntitlements ? "not the entitlement" : "no entitlements")"
    }

    private static func judge(_ extensions: [AppTarget], _ all: [AppTarget], _ findings: inout Findings) {
        for point in [AppTarget.points.handler, AppTarget.points.screen] {
            let mine = extensions.filter { $0.extensionPoint == point }
            if mine.count != 1 { findings.violate(.extensionPoints, "\(mine.count) extensions for \(point)") }
        }
        for target in extensions where !target.hasPrincipal {
            findings.violate(.extensionPoints, "\(target.place) names no principal class")
        }
        findings.pass(.extensionPoints)
    }
}
