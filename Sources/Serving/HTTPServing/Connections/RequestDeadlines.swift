import DequeModule
import ServiceLifecycle
import Synchronization

/// A service that cancels the requests of this process that exceed the request timeout.
///
/// All requests have the same timeout, so the queue is in the order of the deadlines, and checking its front once a
/// second suffices. A timer for each request would cost more than many requests do.
final class RequestDeadlines: Service {
    /// The time between two checks, and so the longest delay of a cancellation.
    private static let checkInterval = Duration.seconds(1)

    /// Identifies a request in flight.
    struct Ticket {
        fileprivate let number: Int
    }

    private struct State {
        var lastNumber = 0
        var cancels: [Int: @Sendable () -> Void] = [:]
        /// Requests by deadline, including some that have ended.
        var queue: Deque<(number: Int, deadline: ContinuousClock.Instant)> = []
    }

    private let timeout: Duration
    private let state = Mutex(State())

    /// Creates a service without requests.
    /// - Parameter timeout: the maximum duration of a request.
    init(timeout: Duration) {
        self.timeout = timeout
    }

    /// Registers a request that begins now.
    func requestStarted(cancel: @escaping @Sendable () -> Void) -> Ticket {
        let deadline = ContinuousClock.now + timeout
        return state.withLock { state in
            state.lastNumber += 1
            state.cancels[state.lastNumber] = cancel
            state.queue.append((state.lastNumber, deadline))
            return Ticket(number: state.lastNumber)
        }
    }

    /// Removes a request whose response is ready, or which failed.
    func requestEnded(_ ticket: Ticket) {
        state.withLock { state in
            state.cancels[ticket.number] = nil
            // Without this, ended requests at the front would stay in the queue until their deadline.
            while let first = state.queue.first, state.cancels[first.number] == nil { state.queue.removeFirst() }
        }
    }

    /// Cancels overdue requests until graceful shutdown, which must begin after the server has stopped.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                self.cancelOverdue(at: .now)
                // Throws only on cancellation, which ends the loop.
                try? await Task.sleep(for: Self.checkInterval)
            }
        }
    }

    private func cancelOverdue(at now: ContinuousClock.Instant) {
        let overdue = state.withLock { state in
            var overdue: [@Sendable () -> Void] = []
            while let first = state.queue.first, first.deadline <= now {
                state.queue.removeFirst()
                if let cancel = state.cancels[first.number] { overdue.append(cancel) }
            }
            return overdue
        }
        for cancel in overdue { cancel() }
    }
}
