import Encodings
import GameCore
import Testing

@testable import PartyAPI

@Suite struct TokenBucketTests {
    private static let start = Timestamp(epochSeconds: 1_790_000_000)
    private static let limit = RateLimit(perSecond: 4, burst: 3)

    private func take(_ bucket: inout TokenBucket, after milliseconds: Int64) -> TokenBucket.Verdict {
        bucket.take(Self.limit, at: Self.start + .milliseconds(milliseconds))
    }

    @Test func `a burst passes, one more does not, and time brings the next`() {
        var bucket = TokenBucket()
        // Milliseconds, passes, remaining, reset, retry after.
        let transcript: [(Int64, Bool, Int, Int, Int)] = [
            (0, true, 2, 1, 0), (0, true, 1, 1, 0), (0, true, 0, 1, 1), (0, false, 0, 1, 1),
            (249, false, 0, 1, 1), (250, true, 0, 1, 1), (499, false, 0, 1, 1),
            (1_250, true, 2, 1, 0), (60_000, true, 2, 1, 0),
        ]
        for (at, passes, remaining, reset, retryAfter) in transcript {
            let verdict = take(&bucket, after: at)
            #expect(
                verdict
                    == .init(
                        passes: passes,
                        limit: 3,
                        remaining: remaining,
                        resetSeconds: reset,
                        retryAfterSeconds: retryAfter
                    ),
                "\(at) ms"
            )
        }
    }

    @Test func `who comes at the rate for ever is never refused, and who comes faster gets the rate`() {
        for (everyMilliseconds, passing) in [(250, 400), (125, 202), (50, 82)] as [(Int64, Int)] {
            var bucket = TokenBucket()
            let passed = (0..<400).count { take(&bucket, after: $0 * everyMilliseconds).passes }
            #expect(passed == passing, "every \(everyMilliseconds) ms")
        }
    }

    @Test func `a refusal says when to come back, and who does passes`() {
        let limit = RateLimit(perSecond: 1, burst: 2)
        var bucket = TokenBucket()
        var moment = Self.start
        for _ in 0..<100 {
            let verdict = bucket.take(limit, at: moment)
            if !verdict.passes {
                #expect(verdict.retryAfterSeconds == 1)
                moment = moment + .seconds(verdict.retryAfterSeconds)
                #expect(bucket.take(limit, at: moment).passes)
            }
        }
        #expect(moment > Self.start)
    }

    @Test func `a clock that is set back empties a bucket at most`() {
        var bucket = TokenBucket()
        _ = take(&bucket, after: 3_600_000)
        #expect(!take(&bucket, after: 0).passes)
        #expect(take(&bucket, after: 250).passes)
    }

    @Test func `what is given back can be taken again, and no more than that`() {
        var bucket = TokenBucket()
        bucket.giveBack(Self.limit)
        for _ in 0..<5 {
            #expect(take(&bucket, after: 0).passes)
            bucket.giveBack(Self.limit)
        }
        for passes in [true, true, true, false] { #expect(take(&bucket, after: 0).passes == passes) }
        bucket.giveBack(Self.limit)
        for passes in [true, false] { #expect(take(&bucket, after: 0).passes == passes) }

        var book = BucketBook<Int>(limit: Self.limit, mostBuckets: 1)
        _ = book.take(1, at: Self.start)
        // It makes room for another, and there is nothing to give back to.
        _ = book.take(2, at: Self.start)
        book.giveBack(1)
        #expect(book.count == 1)
    }

    @Test func `a book keeps each one's count, and forgets the fullest when there are too many`() {
        var book = BucketBook<Int>(limit: Self.limit, mostBuckets: 10)
        // The spender comes first, and is the oldest of all.
        for _ in 0..<3 { #expect(book.take(-1, at: Self.start).passes) }
        for guess in 0..<1_000 {
            #expect(book.take(guess, at: Self.start).passes)
            #expect(book.count <= 10)
        }
        #expect(!book.take(-1, at: Self.start).passes)
        #expect(book.take(-1, at: Self.start + .seconds(1)).passes)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `a book with room for all judges like a bucket for each`(seed: UInt64) {
        var bits = seed
        func draw(_ bound: UInt64) -> UInt64 {
            bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (bits >> 33) % bound
        }
        var book = BucketBook<UInt64>(limit: Self.limit, mostBuckets: 8)
        var buckets: [UInt64: TokenBucket] = [:]
        var moment = Self.start
        for _ in 0..<2_000 {
            moment = moment + .milliseconds(Int64(draw(80)))
            let key = draw(8)
            #expect(book.take(key, at: moment) == buckets[key, default: TokenBucket()].take(Self.limit, at: moment))
        }
    }

    @Test func `of a token and an address the one counts that lets less through`() {
        let limits = RequestLimits(
            token: RateLimit(perSecond: 1, burst: 2),
            address: RateLimit(perSecond: 1, burst: 4)
        )
        let limiter = RateLimiter(limits)
        func take(_ token: UInt8?) -> [Int]? {
            limiter.take(.unknown, tokenHash: token.map { [$0] }, at: Self.start).map {
                [$0.passes ? 1 : 0, $0.limit, $0.remaining]
            }
        }
        #expect(take(1) == [1, 2, 1])
        #expect(take(1) == [1, 2, 0])
        // Refused by the token; the address has seen it all the same.
        #expect(take(1) == [0, 2, 0])
        #expect(take(2) == [1, 4, 0])
        #expect(take(2) == [0, 4, 0])
        #expect(take(nil) == [0, 4, 0])
        #expect(RateLimiter(RequestLimits()).take(.unknown, tokenHash: [1], at: Self.start) == nil)
        #expect(RateLimiter(RequestLimits(token: limits.token)).take(.unknown, tokenHash: nil, at: Self.start) == nil)
    }
}
