import PushDispatch
import TestSupport
import Testing

@testable import Benchmarks

@Suite(.computing) struct VerdictsTests {
    @Test func `planted causes are named rightly, and none wrongly`() throws {
        let all = VerdictMatrix(adding: (1...8).map { VerdictMatrix(seed: $0, isHard: false) })
        #expect(all.wrong == 0 && all.wrongBefore == 0)
        #expect(all.notShown > 500)
        #expect(Double(all.named) >= 0.98 * Double(all.notShown))
        for cause in PushVerdict.Cause.allCases {
            #expect(all.count(cause.rawValue, cause.rawValue) > 0, "no push was lost by \(cause)")
        }
        let report = VerdictBenchmark.report(all, hard: all, seeds: 8, from: 1)
        #expect(try report.object["wrong"] as? Int == 0)
    }

    @Test func `a cause that is named wrongly fails`() {
        var matrix = VerdictMatrix(adding: [])
        matrix.add("budget", verdict: .notShown(.decode))
        for _ in 0..<200 { matrix.add("budget", verdict: .notShown(.budget)) }
        let report = VerdictBenchmark.report(matrix, hard: matrix, seeds: 1, from: 1)
        #expect(report.failures == ["A cause was named wrongly."])
        for _ in 0..<3 { matrix.add("budget", verdict: .cannotTell(.noEvidence)) }
        #expect(VerdictBenchmark.report(matrix, hard: matrix, seeds: 1, from: 1).failures.count == 2)
    }
}
