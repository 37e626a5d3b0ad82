import Encodings
import HeapModule

/// The token buckets of recent clients, limited in number.
///
/// When the maximum is reached, the fullest bucket is discarded, because it restricts its client least. So a flood of
/// keys that appear once (guessed tokens, changing addresses) does not displace the buckets of clients that exceed
/// their limit.
struct TokenBuckets<Key: Hashable> {
    /// A bucket's entry in the heap.
    private struct Entry: Comparable {
        let key: Key
        let fullAt: Int64

        static func < (one: Self, other: Self) -> Bool { one.fullAt < other.fullAt }
    }

    private let limit: RateLimit
    private let maxBuckets: Int
    private var buckets: [Key: TokenBucket] = [:]
    /// One entry for each bucket.
    ///
    /// Its `fullAt` is out of date after further requests: usually too early, which is corrected when the entry reaches
    /// the front, or too late after ``refund(_:)``, which keeps the bucket a little longer.
    private var entries = Heap<Entry>()

    /// Creates an empty collection.
    /// - Parameters:
    ///   - limit: the limit of each bucket.
    ///   - maxBuckets: the maximum number of buckets, at least 1.
    init(limit: RateLimit, maxBuckets: Int) {
        self.limit = limit
        self.maxBuckets = maxBuckets
    }

    /// The number of buckets.
    var count: Int { buckets.count }

    /// Takes one request from a client's bucket.
    mutating func take(_ key: Key, at now: Timestamp) -> TokenBucket.Verdict {
        let isNew = buckets[key] == nil
        if isNew, buckets.count >= maxBuckets { removeFullest() }
        let verdict = buckets[key, default: TokenBucket()].take(limit, at: now)
        if isNew, let bucket = buckets[key] { entries.insert(Entry(key: key, fullAt: bucket.fullAt)) }
        return verdict
    }

    /// Undoes the effect of one accepted request on a client's bucket, unless the bucket was discarded.
    mutating func refund(_ key: Key) { buckets[key]?.refund(limit) }

    private mutating func removeFullest() {
        while let entry = entries.popMin() {
            guard let bucket = buckets[entry.key], bucket.fullAt > entry.fullAt else {
                buckets[entry.key] = nil
                return
            }
            entries.insert(Entry(key: entry.key, fullAt: bucket.fullAt))
        }
    }
}
