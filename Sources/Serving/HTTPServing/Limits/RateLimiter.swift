import Encodings
import Synchronization

/// Applies the rate limits of one node.
package final class RateLimiter: Sendable {
    /// The purpose of a request, which determines the limits that apply.
    package enum Purpose: Sendable {
        case other
        /// The registration of a player, which adds a permanent row and a token with its own bucket.
        case registration
        /// A join of a party by an invite code, or a request with a spectators' link, which may be guessed: see
        /// ``RateLimiter/refundWrongCode(from:)``.
        case join
        /// The recovery of a player by a recovery code, which may be guessed: counts as a wrong code even if it is right.
        case recovery
        /// A report of what a device shows, which costs more than most requests.
        case receipts
    }

    /// A rate limit that rejects requests.
    package enum Scope: Sendable {
        /// All requests with a token.
        case token
        /// All requests from an address.
        case address
        /// The registrations from an address.
        case registration
        /// The wrong invite codes and links, and all recovery codes from an address.
        case wrongCode
        /// The devices' reports with a token.
        case receipts
    }

    /// The decision on a request.
    struct Decision: Equatable {
        /// The limit that rejected the request; nil if the request is accepted.
        let rejectedBy: Scope?
        /// The verdict of the limit that rejected the request, or the tightest of those that accepted it.
        let verdict: TokenBucket.Verdict
    }

    /// The maximum number of buckets of each limit: they take some 15 MB, and those of all five limits 75 MB.
    private static let maxBuckets = 100_000

    private struct State {
        var tokens: TokenBuckets<[UInt8]>?
        var addresses: TokenBuckets<ClientAddress>?
        var registrations: TokenBuckets<ClientAddress>?
        var wrongCodes: TokenBuckets<ClientAddress>?
        var receipts: TokenBuckets<[UInt8]>?
    }

    private let state: Mutex<State>

    init(_ limits: RequestLimits, maxBuckets: Int = RateLimiter.maxBuckets) {
        state = Mutex(
            State(
                tokens: limits.token.map { TokenBuckets(limit: $0, maxBuckets: maxBuckets) },
                addresses: limits.address.map { TokenBuckets(limit: $0, maxBuckets: maxBuckets) },
                registrations: limits.registration.map { TokenBuckets(limit: $0, maxBuckets: maxBuckets) },
                wrongCodes: limits.wrongCode.map { TokenBuckets(limit: $0, maxBuckets: maxBuckets) },
                receipts: limits.receipts.map { TokenBuckets(limit: $0, maxBuckets: maxBuckets) }
            )
        )
    }

    /// Counts a request.
    ///
    /// The address is checked first, so that a client which guesses tokens creates no more token buckets than its
    /// address may send requests.
    /// - Parameters:
    ///   - address: the client address of the request.
    ///   - tokenHash: the SHA-256 of its bearer token; nil if it has none.
    ///   - purpose: the purpose of the request. A join counts as a wrong code until ``refundWrongCode(from:)``, so that
    ///     concurrent joins cannot exceed the limit.
    ///   - now: the time, on one clock for all requests.
    /// - Returns: the decision; nil if no limit applies. An accepting verdict on wrong codes is not considered.
    func take(
        _ address: ClientAddress,
        tokenHash: [UInt8]?,
        for purpose: Purpose = .other,
        at now: Timestamp
    ) -> Decision? {
        state.withLock { state in
            var tightest = state.addresses?.take(address, at: now)
            if let tightest, !tightest.isAccepted { return Decision(rejectedBy: .address, verdict: tightest) }
            if let tokenHash, let verdict = state.tokens?.take(tokenHash, at: now) {
                guard verdict.isAccepted else { return Decision(rejectedBy: .token, verdict: verdict) }
                tightest = tightest.map { .tighter($0, verdict) } ?? verdict
            }
            switch purpose {
            case .other: break
            case .registration:
                guard let verdict = state.registrations?.take(address, at: now) else { break }
                guard verdict.isAccepted else { return Decision(rejectedBy: .registration, verdict: verdict) }
                tightest = tightest.map { .tighter($0, verdict) } ?? verdict
            case .join, .recovery:
                if let verdict = state.wrongCodes?.take(address, at: now), !verdict.isAccepted {
                    return Decision(rejectedBy: .wrongCode, verdict: verdict)
                }
            case .receipts:
                guard let tokenHash, let verdict = state.receipts?.take(tokenHash, at: now) else { break }
                guard verdict.isAccepted else { return Decision(rejectedBy: .receipts, verdict: verdict) }
                tightest = tightest.map { .tighter($0, verdict) } ?? verdict
            }
            return tightest.map { Decision(rejectedBy: nil, verdict: $0) }
        }
    }

    /// Takes back the count of an accepted join whose code was not wrong; see ``take(_:tokenHash:for:at:)``.
    func refundWrongCode(from address: ClientAddress) {
        state.withLock { $0.wrongCodes?.refund(address) }
    }
}
