import DequeModule

/// The requests that wait for a stream, and when time is over for one of them.
///
/// They are in the order of their deadlines, and of submission among those with the same one. Times to send by come in any order: when
/// the earliest has passed, the whole queue is looked through, but no more often than every `sweepInterval`. What is late
/// is never handed out to be sent all the same; it is only told a little later.
struct RequestQueue {
    /// A queue of 100,000, the most by default, is looked through in about a millisecond: this spends a tenth of a core.
    private static let sweepInterval = Duration.milliseconds(10)

    private var requests: Deque<PendingRequest> = []
    /// No time to send by is before this one, which may be of a request that has gone; nil when there is none.
    private var earliestSendBy: ContinuousClock.Instant?
    private var lastSweep: ContinuousClock.Instant?

    var count: Int { requests.count }
    var isEmpty: Bool { requests.isEmpty }
    /// The request that has waited longest.
    var first: PendingRequest? { requests.first }

    /// When `expired` is to be called; it may come early, for a request that has gone.
    var nextTime: ContinuousClock.Instant? {
        guard let deadline = requests.first?.deadline else { return nil }
        guard let earliestSendBy else { return deadline }
        return min(deadline, max(earliestSendBy, lastSweep.map { $0 + Self.sweepInterval } ?? earliestSendBy))
    }

    /// Takes a request, or takes it back.
    mutating func insert(_ request: PendingRequest) {
        requests.insert(request) { $0.precedes($1) }
        note(request)
    }

    /// The next request.
    mutating func popFirst() -> PendingRequest? {
        requests.popFirst()
    }

    /// Those whose time is over, in their order; they are no longer here.
    mutating func expired(at now: ContinuousClock.Instant) -> [PendingRequest] {
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
