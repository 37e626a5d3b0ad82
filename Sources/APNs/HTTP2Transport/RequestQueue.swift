import DequeModule

/// The requests that wait for a stream, in the order of their deadlines and then of submission.
///
/// The `sendBy` times have no order. When the earliest has passed, the queue is searched, at most once in
/// `sweepInterval`. A late request is never sent; only its outcome may be delayed by that interval.
struct RequestQueue {
    /// The minimum time between searches: searching 100,000 requests, the default maximum, takes about a millisecond.
    private static let sweepInterval = Duration.milliseconds(10)

    private var requests: Deque<PendingRequest> = []
    /// A lower bound of all `sendBy` times; nil if no request has one.
    private var earliestSendBy: ContinuousClock.Instant?
    private var lastSweep: ContinuousClock.Instant?

    var count: Int { requests.count }
    var isEmpty: Bool { requests.isEmpty }
    /// The next request.
    var first: PendingRequest? { requests.first }

    /// The time to call `removeExpired`; possibly early, for a request that has left the queue.
    var nextTime: ContinuousClock.Instant? {
        guard let deadline = requests.first?.deadline else { return nil }
        guard let earliestSendBy else { return deadline }
        return min(deadline, max(earliestSendBy, lastSweep.map { $0 + Self.sweepInterval } ?? earliestSendBy))
    }

    /// Adds a new request or a returned one.
    mutating func insert(_ request: PendingRequest) {
        requests.insert(request) { $0.precedes($1) }
        note(request)
    }

    /// Removes and returns the next request.
    mutating func popFirst() -> PendingRequest? {
        requests.popFirst()
    }

    /// Removes and returns all expired requests, in order.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [PendingRequest] {
        var expired: [PendingRequest] = []
        while let request = requests.first, request.isOver(at: now) {
            expired.append(request)
            requests.removeFirst()
        }
        guard let nextTime, nextTime <= now else { return expired }
        expired += requests.filter { $0.isOver(at: now) }
        requests.removeAll { $0.isOver(at: now) }
        earliestSendBy = requests.lazy.compactMap(\.sendBy).min()
        lastSweep = now
        return expired
    }

    private mutating func note(_ request: PendingRequest) {
        guard let sendBy = request.sendBy else { return }
        earliestSendBy = min(earliestSendBy ?? sendBy, sendBy)
    }
}
