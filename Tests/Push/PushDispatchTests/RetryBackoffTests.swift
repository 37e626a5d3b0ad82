import Testing

@testable import PushDispatch

@Suite struct RetryBackoffTests {
    @Test func `the ceiling doubles up to a minute`() {
        var backoff = RetryBackoff()
        let ceilings = (0..<9).map { _ in backoff.wait(randomBits: .max) }
        let expected: [Double] = [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
        for (wait, seconds) in zip(ceilings, expected) {
            #expect(wait > .seconds(seconds * 0.999) && wait <= .seconds(seconds))
        }
        backoff.reset()
        #expect(backoff.wait(randomBits: .max) <= .milliseconds(500))
    }

    @Test func `the wait after a push that was never sent does not grow`() {
        var backoff = RetryBackoff()
        for _ in 0..<9 { _ = backoff.wait(randomBits: .max) }
        for _ in 0..<9 { #expect(backoff.waitAfterUnsent(randomBits: .max) <= .milliseconds(500)) }
        #expect(backoff.waitAfterUnsent(randomBits: 1 << 63) == .milliseconds(250))
        #expect(backoff.failures == 9)
    }

    @Test func `the wait is random up to the ceiling, and is added to the requested delay`() {
        var backoff = RetryBackoff()
        #expect(backoff.wait(randomBits: 0) == .zero)
        #expect(backoff.wait(randomBits: 0, after: .seconds(20)) == .seconds(20))
        #expect(backoff.wait(randomBits: 1 << 63, after: .seconds(20)) == .seconds(21))
    }
}
