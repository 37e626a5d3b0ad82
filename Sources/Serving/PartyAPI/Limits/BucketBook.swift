import Encodings
import GameCore
import HeapModule

/// The buckets of everybody who has asked lately, so many at most.
///
/// When there are as many the fullest is forgotten: the one that says least, so that a flood of keys that come once each
/// (guessed tokens, addresses that change) does not make it forget who has asked for too much.
struct BucketBook<Key: Hashable> {
    /// One for each bucket, with the moment that it had when it came here.
    private struct Note: Comparable {
        let key: Key
        let fullAt: Int64

        static func < (one: Self, other: Self) -> Bool { one.fullAt < other.fullAt }
    }

    private let limit: RateLimit
    private let mostBuckets: Int
    private var buckets: [Key: TokenBucket] = [:]
    /// Buckets grow fuller by time and emptier by requests: a note is too early, or by what was given back too late, whereupon
    /// a bucket is kept for that much longer.
    private var notes = Heap<Note>()

    /// - Parameters:
    ///   - limit: of each bucket.
    ///   - mostBuckets: how many there may be, 1 and up.
    init(limit: RateLimit, mostBuckets: Int) {
        self.limit = limit
        self.mostBuckets = mostBuckets
    }

    /// How many buckets there are.
    var count: Int { buckets.count }

    /// Takes a request's share out of somebody's bucket.
    mutating func take(_ key: Key, at now: Timestamp) -> TokenBucket.Verdict {
        let isNew = buckets[key] == nil
        if isNew, buckets.count >= mostBuckets { forgetFullest() }
        let verdict = buckets[key, default: TokenBucket()].take(limit, at: now)
        if isNew, let bucket = buckets[key] { notes.insert(Note(key: key, fullAt: bucket.fullAt)) }
        return verdict
    }

    /// Puts back what a request took that passed; nothing when the bucket was forgotten meanwhile.
    mutating func giveBack(_ key: Key) { buckets[key]?.giveBack(limit) }

    private mutating func forgetFullest() {
        while let note = notes.popMin() {
            guard let bucket = buckets[note.key], bucket.fullAt > note.fullAt else {
                buckets[note.key] = nil
                return
            }
            notes.insert(Note(key: note.key, fullAt: bucket.fullAt))
        }
    }
}
