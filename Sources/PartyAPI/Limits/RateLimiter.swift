import GameCore
import Synchronization

/// Keeps count of what clients ask of this node.
final class RateLimiter: Sendable {
    /// How many clients' buckets are kept at once, of each kind: some 10 MB when there are as many.
    private static let mostBuckets = 100_000

    private struct Books {
        var tokens: BucketBook<[UInt8]>?
        var addresses: BucketBook<ClientAddress>?
    }

    private let books: Mutex<Books>

    init(_ limits: RequestLimits, mostBuckets: Int = RateLimiter.mostBuckets) {
        books = Mutex(
            Books(
                tokens: limits.token.map { BucketBook(limit: $0, mostBuckets: mostBuckets) },
                addresses: limits.address.map { BucketBook(limit: $0, mostBuckets: mostBuckets) }
            )
        )
    }

    /// Counts a request.
    ///
    /// The address comes first: a stranger who guesses tokens gets as many buckets of tokens as the address lets through.
    /// - Parameters:
    ///   - address: who sends it.
    ///   - tokenHash: the SHA-256 of its token; nil when it has none.
    ///   - now: on a clock that all requests are measured by.
    /// - Returns: of those that count here the verdict that refuses it, or lets less through; nil when nothing counts.
    func take(_ address: ClientAddress, tokenHash: [UInt8]?, at now: Timestamp) -> TokenBucket.Verdict? {
        books.withLock { books in
            let ofAddress = books.addresses?.take(address, at: now)
            if let ofAddress, !ofAddress.passes { return ofAddress }
            guard let tokenHash, let ofToken = books.tokens?.take(tokenHash, at: now) else { return ofAddress }
            guard ofToken.passes, let ofAddress else { return ofToken }
            return .tighter(ofAddress, ofToken)
        }
    }
}
