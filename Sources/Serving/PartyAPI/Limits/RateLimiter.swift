import Encodings
import GameCore
import Synchronization

/// Keeps count of what clients ask of this node.
final class RateLimiter: Sendable {
    /// What a request asks for, as far as it is counted besides all others of its address.
    enum Purpose {
        case anything
        /// A new player, which costs a row for ever and comes with a bucket of its own.
        case registration
        /// A party by its code, which may be a guess: see ``RateLimiter/wasNoGuess(from:)``.
        case join
    }

    /// How many clients' buckets are kept at once, of each kind: some 10 MB when there are as many.
    private static let mostBuckets = 100_000

    private struct Books {
        var tokens: BucketBook<[UInt8]>?
        var addresses: BucketBook<ClientAddress>?
        var registrations: BucketBook<ClientAddress>?
        var wrongCodes: BucketBook<ClientAddress>?
    }

    private let books: Mutex<Books>

    init(_ limits: RequestLimits, mostBuckets: Int = RateLimiter.mostBuckets) {
        books = Mutex(
            Books(
                tokens: limits.token.map { BucketBook(limit: $0, mostBuckets: mostBuckets) },
                addresses: limits.address.map { BucketBook(limit: $0, mostBuckets: mostBuckets) },
                registrations: limits.registration.map { BucketBook(limit: $0, mostBuckets: mostBuckets) },
                wrongCodes: limits.wrongCode.map { BucketBook(limit: $0, mostBuckets: mostBuckets) }
            )
        )
    }

    /// Counts a request.
    ///
    /// The address comes first: a stranger who guesses tokens gets as many buckets of tokens as the address lets through.
    /// - Parameters:
    ///   - address: who sends it.
    ///   - tokenHash: the SHA-256 of its token; nil when it has none.
    ///   - purpose: what it asks for. A join counts as a guess that was wrong until it is known to be none, so that of many at
    ///     once no more are tried than may be.
    ///   - now: on a clock that all requests are measured by.
    /// - Returns: of those that count here the verdict that refuses it, or lets less through; nil when nothing counts. Of wrong
    ///   codes only who has given too many is told.
    func take(
        _ address: ClientAddress,
        tokenHash: [UInt8]?,
        for purpose: Purpose = .anything,
        at now: Timestamp
    ) -> TokenBucket.Verdict? {
        books.withLock { books in
            var tightest = books.addresses?.take(address, at: now)
            if let tightest, !tightest.passes { return tightest }
            if let tokenHash, let ofToken = books.tokens?.take(tokenHash, at: now) {
                guard ofToken.passes else { return ofToken }
                tightest = tightest.map { .tighter($0, ofToken) } ?? ofToken
            }
            switch purpose {
            case .anything: break
            case .registration:
                guard let verdict = books.registrations?.take(address, at: now) else { break }
                guard verdict.passes else { return verdict }
                tightest = tightest.map { .tighter($0, verdict) } ?? verdict
            case .join:
                if let verdict = books.wrongCodes?.take(address, at: now), !verdict.passes { return verdict }
            }
            return tightest
        }
    }

    /// Takes a join back that passed and turned out to be no wrong code.
    func wasNoGuess(from address: ClientAddress) {
        books.withLock { $0.wrongCodes?.giveBack(address) }
    }
}
