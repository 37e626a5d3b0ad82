import Foundation
import RangersClient
import Synchronization

/// A transport that answers from a script, and remembers what it was asked.
final class ScriptedTransport: RangersTransport {
    enum Answer {
        case answer(Int, headers: [String: String] = [:], String)
        /// The connection breaks before the answer.
        case lost
    }

    private struct ConnectionLost: Error {}

    private let state: Mutex<(answers: [Answer], requests: [TransportRequest])>

    /// - Parameter answers: in order; the last is given again and again.
    init(_ answers: Answer...) {
        state = Mutex((answers, []))
    }

    var requests: [TransportRequest] { state.withLock(\.requests) }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        switch answer {
        case .lost: throw ConnectionLost()
        case .answer(let status, let headers, let text):
            let (parts, body) = AsyncThrowingStream.makeStream(of: Data.self)
            body.yield(Data(text.utf8))
            body.finish()
            return TransportAnswer(status: status, headers: headers, body: parts)
        }
    }
}
