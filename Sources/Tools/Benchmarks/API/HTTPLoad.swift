import Foundation
import Synchronization

/// Requests over kept connections, a thread for each.
///
/// Threads rather than tasks: what a thread waits for is the socket alone, so that no pool of ours is in the figures.
struct HTTPLoad: Sendable {
    /// When a connection sends.
    enum Pace: Sendable {
        /// As soon as the answer before is there.
        case closed
        /// At the times of a schedule of so many requests a second, whatever the server does. A request that is sent
        /// late since its connection still waits counts from when it was due.
        case open(perSecond: Int)
    }

    /// What one run came to.
    struct Figures: Sendable {
        let perSecond: Double
        let p50Milliseconds: Double
        let p99Milliseconds: Double
    }

    let port: Int
    let connections: Int

    /// Sends requests, each once.
    /// - Parameters:
    ///   - requests: at least one; connection `n` sends each `connections`-th from the `n`-th.
    ///   - status: what each must be answered with.
    ///   - pace: when they are sent.
    /// - Returns: the rate from the first request to the last answer, and how long answers took.
    /// - Throws: ``MeasurementFailure`` with the first answer that is another.
    func run(_ requests: [PreparedRequest], expecting status: Int, pace: Pace = .closed) async throws -> Figures {
        let workers = min(connections, requests.count)
        let shared = Mutex(Progress(running: workers))
        let begin = ContinuousClock.now
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            for worker in 0..<workers {
                Thread.detachNewThread {
                    let slots = Array(stride(from: worker, to: requests.count, by: workers))
                    let result = Result { () throws(MeasurementFailure) in
                        try send(slots.map { ($0, requests[$0]) }, expecting: status, pace: pace, since: begin)
                    }
                    let (isLast, failure) = shared.withLock { progress in
                        progress.add(result)
                        return (progress.running == 0, progress.failure)
                    }
                    guard isLast else { return }
                    if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
                }
            }
        }
        let elapsed = ContinuousClock.now - begin
        let latencies = shared.withLock { Latencies(milliseconds: $0.milliseconds) }
        return Figures(
            perSecond: Double(requests.count) / (elapsed / .seconds(1)),
            p50Milliseconds: latencies.percentile(50),
            p99Milliseconds: latencies.percentile(99)
        )
    }

    /// The answer to one request.
    func answer(to request: PreparedRequest) throws -> ReceivedAnswer? {
        var connection = try LoadConnection(port: port)
        _ = try connection.exchange(request.bytes)
        return connection.lastAnswer
    }

    /// What the threads of a run have done.
    private struct Progress {
        var running: Int
        var milliseconds: [Double] = []
        var failure: MeasurementFailure?

        mutating func add(_ result: Result<[Double], MeasurementFailure>) {
            running -= 1
            switch result {
            case .success(let more): milliseconds += more
            case .failure(let error): failure = failure ?? error
            }
        }
    }

    private func send(
        _ requests: [(slot: Int, PreparedRequest)],
        expecting status: Int,
        pace: Pace,
        since begin: ContinuousClock.Instant
    ) throws(MeasurementFailure) -> [Double] {
        var connection = try LoadConnection(port: port)
        var milliseconds: [Double] = []
        milliseconds.reserveCapacity(requests.count)
        for (slot, request) in requests {
            let start: ContinuousClock.Instant
            switch pace {
            case .closed:
                start = .now
            case .open(let perSecond):
                start = begin + .seconds(1) * slot / perSecond
                let early = start - .now
                if early > .zero { Thread.sleep(forTimeInterval: early / .seconds(1)) }
            }
            let given = try connection.exchange(request.bytes)
            milliseconds.append((.now - start) / .milliseconds(1))
            guard given == status else {
                let body = String(decoding: connection.lastAnswer?.body ?? [], as: UTF8.self)
                throw MeasurementFailure("A request was answered with \(given) and not \(status): \(body)")
            }
        }
        return milliseconds
    }
}
