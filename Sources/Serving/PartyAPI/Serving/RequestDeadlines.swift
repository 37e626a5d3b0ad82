import DequeModule
import ServiceLifecycle
import Synchronization

/// The requests under way on a node, each with the moment at which it is cancelled.
///
/// All have the same time, so they stand in the order of their deadlines, and one look a second at the first of them is
/// enough: a timer for each would cost more than many a request.
final class RequestDeadlines: Service {
    /// Between two looks; a request may take so much longer than it has time.
    private static let pause = Duration.seconds(1)

    /// Names a request under way.
    struct Ticket {
        fileprivate let number: Int
    }

    private struct State {
        var begun = 0
        var cancels: [Int: @Sendable () -> Void] = [:]
        /// Those that have ended too.
        var order: Deque<(number: Int, until: ContinuousClock.Instant)> = []
    }

    private let limit: Duration
    private let state = Mutex(State())

    /// - Parameter limit: how long each request may take.
    init(limit: Duration) {
        self.limit = limit
    }

    /// A request begins.
    func began(cancel: @escaping @Sendable () -> Void) -> Ticket {
        let until = ContinuousClock.now + limit
        return state.withLock { state in
            state.begun += 1
            state.cancels[state.begun] = cancel
            state.order.append((state.begun, until))
            return Ticket(number: state.begun)
        }
    }

    /// A request has been answered, or has failed.
    func ended(_ ticket: Ticket) {
        state.withLock { state in
            state.cancels[ticket.number] = nil
            // What stands in front and has ended would otherwise stay until its deadline.
            while let first = state.order.first, state.cancels[first.number] == nil { state.order.removeFirst() }
        }
    }

    /// Cancels what takes too long until a graceful shutdown, which must come after the server's.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                self.cancelOverdue(at: .now)
                // Ends early by cancellation only, which the loop's condition sees.
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    private func cancelOverdue(at now: ContinuousClock.Instant) {
        let overdue = state.withLock { state in
            var overdue: [@Sendable () -> Void] = []
            while let first = state.order.first, first.until <= now {
                state.order.removeFirst()
                if let cancel = state.cancels[first.number] { overdue.append(cancel) }
            }
            return overdue
        }
        for cancel in overdue { cancel() }
    }
}
