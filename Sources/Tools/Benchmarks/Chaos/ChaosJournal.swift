import Foundation
import GameCore
import Synchronization

/// What the clients of a run asked for and were told.
final class ChaosJournal: Sendable {
    /// More are counted and not kept.
    private static let mostComplaints = 100
    /// What a status is called when there was none.
    private static let noAnswer = 0

    /// How many of the requests had which answer.
    struct Tally: Encodable, Hashable, Sendable {
        /// By status; zero where no answer came.
        var requests: [Int: Int] = [:]
        /// Writes that were answered with success.
        var acknowledged = 0
        /// Those of them that were sent again on purpose, and answered again.
        var repeated = 0
    }

    private struct State {
        var tally = Tally()
        var acknowledged: [Acknowledged.Write] = []
        /// By key: what was sent and not answered for certain.
        var inDoubt: [String: Acknowledged.Write] = [:]
        var complaints: [String] = []
        var complaintCount = 0
    }

    private let state = Mutex(State())

    /// An answer came, or did not.
    /// - Parameters:
    ///   - status: the answer's; nil when there was none.
    ///   - retryAfter: what it says of when to come back.
    ///   - request: such as `GET /v1/players/me`.
    func answered(_ status: Int?, retryAfter: String?, to request: String) {
        state.withLock { state in
            state.tally.requests[status ?? Self.noAnswer, default: 0] += 1
            switch status {
            case 503 where retryAfter.flatMap { Int($0) } == nil:
                Self.complain("\(request) was answered with 503 without Retry-After", &state)
            case .some(let status) where status >= 500 && status != 503:
                Self.complain("\(request) was answered with \(status)", &state)
            default: break
            }
        }
    }

    /// What became of a write with a key.
    func note(_ write: Acknowledged.Write) {
        state.withLock { state in
            switch write.status {
            case 200..<300:
                state.tally.acknowledged += 1
                state.acknowledged.append(write)
                if let key = write.key { state.inDoubt[key] = nil }
            case 400..<500 where write.status != 429:
                // Refused, which a write that was carried out before is not.
                if let key = write.key { state.inDoubt[key] = nil }
            default:
                if let key = write.key { state.inDoubt[key] = write }
            }
        }
    }

    /// A write that had been answered was answered again.
    func noteRepetition(of first: Acknowledged.Write, answered second: Acknowledged.Write) {
        state.withLock { state in
            guard second.status != Self.noAnswer, second.status < 500, second.status != 429 else { return }
            state.tally.repeated += 1
            guard (first.status, first.answer) != (second.status, second.answer) else { return }
            Self.complain(
                "\(first.method) \(first.path) was answered with \(first.status), and with \(second.status) or other "
                    + "words when it was sent again",
                &state
            )
        }
    }

    /// Something is not as it must be.
    func complain(_ sentence: String) {
        state.withLock { Self.complain(sentence, &$0) }
    }

    /// How many requests had which answer.
    var tally: Tally { state.withLock(\.tally) }

    /// What was not as it must be, the first ones of many.
    var complaints: [String] { state.withLock(\.complaints) }

    /// What was answered for certain, and what was not.
    func writes() -> (acknowledged: [Acknowledged.Write], inDoubt: [Acknowledged.Write]) {
        state.withLock { ($0.acknowledged, $0.inDoubt.values.sorted { ($0.at, $0.path) < ($1.at, $1.path) }) }
    }

    private static func complain(_ sentence: String, _ state: inout State) {
        state.complaintCount += 1
        if state.complaints.count < mostComplaints { state.complaints.append(sentence) }
    }
}
