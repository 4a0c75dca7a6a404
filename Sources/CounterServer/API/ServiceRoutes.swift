// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// What monitoring asks.
extension CounterRoutes {
    var service: [Route] {
        [
            Route(.get, "/metrics") { _ throws(Problem) in
                APIResponse(
                    type: "text/plain; version=0.0.4; charset=utf-8",
                    body: .bytes(Array(await control.metricsText().utf8)))
            }.with(produces: [.text]),
            Route(.get, "/healthz") { _ throws(Problem) in report(await control.health()) }.with(isPublic: true),
            Route(.get, "/readyz") { _ throws(Problem) in report(await control.readiness()) }.with(isPublic: true),
        ]
    }

    /// Who may ask without a token learns no texts: names of readers and files stand in them.
    private func report(_ report: HealthReport) -> APIResponse {
        var response = APIResponse.json(CounterViews.json(report, withText: settings.tokens.isEmpty))
        if !report.isFine { response.status = 503 }
        return response
    }
}
