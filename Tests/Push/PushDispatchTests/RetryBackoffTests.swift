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

    @Test func `the wait is random up to the ceiling, and is added to the requested delay`() {
        var backoff = RetryBackoff()
        #expect(backoff.wait(randomBits: 0) == .zero)
        #expect(backoff.wait(randomBits: 0, after: .seconds(20)) == .seconds(20))
        #expect(backoff.wait(randomBits: 1 << 63, after: .seconds(20)) == .seconds(21))
    }
}
