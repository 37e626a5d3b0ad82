import Encodings
import Testing

@testable import HTTPServing

@Suite struct TokenBucketTests {
    private static let start = Timestamp(epochSeconds: 1_790_000_000)
    private static let limit = RateLimit(perSecond: 4, burst: 3)

    private func take(_ bucket: inout TokenBucket, after milliseconds: Int64) -> TokenBucket.Verdict {
        bucket.take(Self.limit, at: Self.start + .milliseconds(milliseconds))
    }

    @Test func `a burst is accepted, one more request is rejected, and the bucket refills over time`() {
        var bucket = TokenBucket()
        // Milliseconds, accepted, remaining, reset, retry after.
        let transcript: [(Int64, Bool, Int, Int, Int)] = [
            (0, true, 2, 1, 0), (0, true, 1, 1, 0), (0, true, 0, 1, 1), (0, false, 0, 1, 1),
            (249, false, 0, 1, 1), (250, true, 0, 1, 1), (499, false, 0, 1, 1),
            (1_250, true, 2, 1, 0), (60_000, true, 2, 1, 0),
        ]
        for (at, isAccepted, remaining, reset, retryAfter) in transcript {
            let verdict = take(&bucket, after: at)
            #expect(
                verdict
                    == .init(
                        isAccepted: isAccepted,
                        limit: 3,
                        remaining: remaining,
                        resetSeconds: reset,
                        retryAfterSeconds: retryAfter
                    ),
                "\(at) ms"
            )
        }
    }

    @Test func `a client at the sustained rate is never rejected, and a faster one gets the sustained rate`() {
        for (everyMilliseconds, passing) in [(250, 400), (125, 202), (50, 82)] as [(Int64, Int)] {
            var bucket = TokenBucket()
            let passed = (0..<400).count { take(&bucket, after: $0 * everyMilliseconds).isAccepted }
            #expect(passed == passing, "every \(everyMilliseconds) ms")
        }
    }

    @Test func `a rejection says when to retry, and that retry is accepted`() {
        let limit = RateLimit(perSecond: 1, burst: 2)
        var bucket = TokenBucket()
        var moment = Self.start
        for _ in 0..<100 {
            let verdict = bucket.take(limit, at: moment)
            if !verdict.isAccepted {
                #expect(verdict.retryAfterSeconds == 1)
                moment = moment + .seconds(verdict.retryAfterSeconds)
                #expect(bucket.take(limit, at: moment).isAccepted)
            }
        }
        #expect(moment > Self.start)
    }

    @Test func `a clock that goes backwards leaves a bucket empty at most`() {
        var bucket = TokenBucket()
        _ = take(&bucket, after: 3_600_000)
        #expect(!take(&bucket, after: 0).isAccepted)
        #expect(take(&bucket, after: 250).isAccepted)
    }

    @Test func `a returned request can be taken again, and nothing more`() {
        var bucket = TokenBucket()
        bucket.refund(Self.limit)
        for _ in 0..<5 {
            #expect(take(&bucket, after: 0).isAccepted)
            bucket.refund(Self.limit)
        }
        for isAccepted in [true, true, true, false] { #expect(take(&bucket, after: 0).isAccepted == isAccepted) }
        bucket.refund(Self.limit)
        for isAccepted in [true, false] { #expect(take(&bucket, after: 0).isAccepted == isAccepted) }

        var buckets = TokenBuckets<Int>(limit: Self.limit, maxBuckets: 1)
        _ = buckets.take(1, at: Self.start)
        // The second bucket replaces the first, which can get nothing back.
        _ = buckets.take(2, at: Self.start)
        buckets.refund(1)
        #expect(buckets.count == 1)
    }

    @Test func `buckets are kept by key, and the fullest is discarded beyond the maximum`() {
        var buckets = TokenBuckets<Int>(limit: Self.limit, maxBuckets: 10)
        // The exhausted bucket is the oldest.
        for _ in 0..<3 { #expect(buckets.take(-1, at: Self.start).isAccepted) }
        for guess in 0..<1_000 {
            #expect(buckets.take(guess, at: Self.start).isAccepted)
            #expect(buckets.count <= 10)
        }
        #expect(!buckets.take(-1, at: Self.start).isAccepted)
        #expect(buckets.take(-1, at: Self.start + .seconds(1)).isAccepted)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `without discarded buckets, each key has the verdicts of a bucket of its own`(seed: UInt64) {
        var bits = seed
        func draw(_ bound: UInt64) -> UInt64 {
            bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (bits >> 33) % bound
        }
        var buckets = TokenBuckets<UInt64>(limit: Self.limit, maxBuckets: 8)
        var reference: [UInt64: TokenBucket] = [:]
        var moment = Self.start
        for _ in 0..<2_000 {
            moment = moment + .milliseconds(Int64(draw(80)))
            let key = draw(8)
            #expect(
                buckets.take(key, at: moment) == reference[key, default: TokenBucket()].take(Self.limit, at: moment)
            )
        }
    }

    @Test func `the tighter limit of token and address is reported`() throws {
        let limits = RequestLimits(
            token: RateLimit(perSecond: 1, burst: 2),
            address: RateLimit(perSecond: 1, burst: 4)
        )
        let limiter = RateLimiter(limits)
        func take(_ token: UInt8?) throws -> (RateLimiter.Scope?, limit: Int, remaining: Int) {
            let decision = try #require(limiter.take(.unknown, tokenHash: token.map { [$0] }, at: Self.start))
            return (decision.rejectedBy, decision.verdict.limit, decision.verdict.remaining)
        }
        #expect(try take(1) == (nil, 2, 1))
        #expect(try take(1) == (nil, 2, 0))
        // The token limit rejects the request, but the address limit has counted it.
        #expect(try take(1) == (.token, 2, 0))
        #expect(try take(2) == (nil, 4, 0))
        #expect(try take(2) == (.address, 4, 0))
        #expect(try take(nil) == (.address, 4, 0))
        #expect(RateLimiter(RequestLimits()).take(.unknown, tokenHash: [1], at: Self.start) == nil)
        #expect(RateLimiter(RequestLimits(token: limits.token)).take(.unknown, tokenHash: nil, at: Self.start) == nil)
    }
}
