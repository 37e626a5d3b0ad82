import Testing

@testable import PushDispatch

@Suite struct RenewalPaceTests {
    @Test func `a failed renewal is retried soon, then at doubling intervals up to the usual one`() {
        var pace = RenewalPace(of: .milliseconds(4_800))
        #expect(pace.wait(succeeded: true, randomBits: .max) == .milliseconds(1_600))
        let expected: [Double] = [0.1, 0.2, 0.4, 0.8, 1.6, 1.6]
        for seconds in expected {
            let wait = pace.wait(succeeded: false, randomBits: .max)
            #expect(wait > .seconds(seconds * 0.999) && wait <= .seconds(seconds))
        }
        let least = pace.wait(succeeded: false, randomBits: 0)
        #expect(least > .milliseconds(799) && least < .milliseconds(801))
        // A success resets the pace.
        #expect(pace.wait(succeeded: true, randomBits: 0) == .milliseconds(1_600))
        #expect(pace.wait(succeeded: false, randomBits: 0) < .milliseconds(51))
    }

    @Test func `a lease renewed less than half an interval ago is not due, and all others are renewed in time`() {
        let pace = RenewalPace(of: .seconds(6))
        #expect(!pace.isDue(after: .zero) && !pace.isDue(after: .milliseconds(999)))
        #expect(pace.isDue(after: .seconds(1)) && pace.isDue(after: .seconds(2)))
        // A lease that is slightly too young is renewed with the next ones, while it still allows pushes.
        #expect(pace.interval / 2 + pace.interval < .seconds(6) * 4 / 5)
    }

    /// A renewal that fails at the usual time leaves time for several tries before the lease no longer allows pushes.
    @Test func `one lost response costs no lease`() {
        var pace = RenewalPace(of: .seconds(6))
        var elapsed = pace.wait(succeeded: true, randomBits: 0)
        var tries = 0
        while elapsed < .seconds(6) * 4 / 5 {
            tries += 1
            elapsed += pace.wait(succeeded: false, randomBits: .max)
        }
        #expect(tries >= 4)
    }
}
