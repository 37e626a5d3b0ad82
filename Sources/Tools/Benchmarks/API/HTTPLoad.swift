import Foundation

/// An HTTP load generator with keep-alive connections and a thread for each.
///
/// It uses threads, not tasks: each thread waits for its own socket only, so no thread pool is part of the figures.
struct HTTPLoad: Sendable {
    /// The result of one run.
    struct Result: Sendable {
        let perSecond: Double
        let p50Milliseconds: Double
        let p99Milliseconds: Double
    }

    let port: Int
    let connections: Int

    /// Sends each request once.
    /// - Parameters:
    ///   - requests: at least one; the connections take them in turns.
    ///   - status: the expected status of all responses.
    ///   - rate: the requests per second, by a schedule; nil to send each at the arrival of the previous response. A
    ///     request that is sent late, because its connection still waits, is timed from when it was due.
    /// - Returns: the rate from the first request to the last response, and percentiles of the response time.
    /// - Throws: ``BenchmarkFailure`` with the first response that has another status.
    func run(_ requests: [PreparedRequest], expecting status: Int, rate: Int? = nil) async throws -> Result {
        let workers = min(connections, requests.count)
        let start = ContinuousClock.now
        let milliseconds = try await withThrowingTaskGroup(of: [Double].self) { group in
            for worker in 0..<workers {
                let slots = stride(from: worker, to: requests.count, by: workers).map { ($0, requests[$0]) }
                group.addTask {
                    try await BlockingWork.run { try send(slots, expecting: status, rate: rate, since: start) }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let elapsed = ContinuousClock.now - start
        return Result(
            perSecond: Double(requests.count) / (elapsed / .seconds(1)),
            p50Milliseconds: milliseconds.percentile(50),
            p99Milliseconds: milliseconds.percentile(99)
        )
    }

    private func send(
        _ requests: [(slot: Int, PreparedRequest)],
        expecting status: Int,
        rate: Int?,
        since start: ContinuousClock.Instant
    ) throws -> [Double] {
        var connection = try LoadConnection(port: port)
        var milliseconds: [Double] = []
        milliseconds.reserveCapacity(requests.count)
        for (slot, request) in requests {
            let due = rate.map { start + .seconds(1) * slot / $0 } ?? .now
            let early = due - .now
            if early > .zero { Thread.sleep(forTimeInterval: early / .seconds(1)) }
            let actual = try connection.exchange(request.bytes)
            milliseconds.append((.now - due) / .milliseconds(1))
            try connection.check(actual, of: request, expecting: status)
        }
        return milliseconds
    }
}
