import GameCore
import Testing

@testable import PushCadence

struct TokenBucketTests {
    private let start = Timestamp(epochSeconds: 1_790_000_000)

    /// How many tokens the bucket says it has at a moment.
    private func tokens(in bucket: inout TokenBucket, at moment: Timestamp) -> Int {
        (0..<100).first { !bucket.allows(keeping: $0, at: moment) } ?? 100
    }

    @Test func `a bucket starts full and refills with time, never above its capacity`() {
        var bucket = TokenBucket(capacity: 2, refill: .seconds(10))
        #expect(tokens(in: &bucket, at: start) == 2)
        bucket.take()
        bucket.take()
        #expect(tokens(in: &bucket, at: start + .milliseconds(9_999)) == 0)
        #expect(tokens(in: &bucket, at: start + .seconds(10)) == 1)
        #expect(tokens(in: &bucket, at: start + .seconds(1_000)) == 2)
    }

    @Test func `it tells when a token can be taken`() {
        var bucket = TokenBucket(capacity: 3, refill: .seconds(10), holding: 1, at: start)
        let first = bucket.allowed(keeping: 0, at: start)
        let third = bucket.allowed(keeping: 2, at: start + .seconds(5))
        #expect(first == start)
        #expect(third == start + .seconds(20))
    }

    @Test func `it is full when no time would add to it`() {
        var bucket = TokenBucket(capacity: 2, refill: .seconds(10))
        #expect(bucket.isFull(at: start))
        _ = bucket.allows(keeping: 0, at: start)
        bucket.take()
        #expect(!bucket.isFull(at: start + .seconds(9)))
        #expect(bucket.isFull(at: start + .seconds(10)))
    }

    @Test func `a token that was given back can be taken again`() {
        var bucket = TokenBucket(capacity: 1, refill: .seconds(10), holding: 1, at: start)
        bucket.take()
        bucket.giveBack()
        bucket.giveBack()
        #expect(tokens(in: &bucket, at: start) == 1)
    }

    @Test func `a clock that goes backwards adds nothing and goes on from there`() {
        var bucket = TokenBucket(capacity: 1, refill: .seconds(10), holding: 0, at: start)
        #expect(tokens(in: &bucket, at: start - .seconds(60)) == 0)
        #expect(tokens(in: &bucket, at: start - .seconds(51)) == 0)
        #expect(tokens(in: &bucket, at: start - .seconds(50)) == 1)
    }

    @Test func `a token that is not there cannot be taken`() async {
        await #expect(processExitsWith: .failure) {
            var bucket = TokenBucket(capacity: 1, refill: .seconds(10))
            bucket.take()
            bucket.take()
        }
    }
}
