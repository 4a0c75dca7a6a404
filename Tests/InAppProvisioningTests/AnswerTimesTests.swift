// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import InAppProvisioning

@Suite struct AnswerTimesTests {
    private func times(_ seconds: [Double]) -> AnswerTimes {
        seconds.reduce(into: AnswerTimes()) { $0.add($1) }
    }

    @Test func `percentiles by the nearest rank`() {
        let all = times((1...100).map(Double.init).reversed())
        #expect(all.seconds == (1...100).map(Double.init))
        #expect(all.percentile(0.95) == 95 && all.percentile(0.5) == 50 && all.percentile(1) == 100)
        #expect(all.percentile(0) == 1 && all.percentile(2) == 100)
        #expect(times([3]).percentile(0.95) == 3 && times([]).percentile(0.95) == nil)
    }

    @Test(arguments: [
        ([Double](repeating: 1, count: 19) + [15], ConformanceVerdict.pass),
        ([Double](repeating: 1, count: 18) + [15, 15], .warn), ([10], .pass), ([10.1], .warn), ([], .notVerifiable),
    ]) func `nineteen of twenty in half of the limit`(seconds: [Double], verdict: ConformanceVerdict) {
        let result = times(seconds).result(limit: 20)
        #expect(result.id == "R-p95" && result.verdict == verdict, "\(result.evidence)")
        #expect(seconds.isEmpty || result.evidence.hasPrefix("\(seconds.count) answers: p50 "))
    }
}
