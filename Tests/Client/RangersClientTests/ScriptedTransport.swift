import Foundation
import RangersClient
import Synchronization

/// A transport with scripted responses that records the requests.
final class ScriptedTransport: RangersTransport {
    enum Step {
        case response(Int, headers: [String: String] = [:], String)
        /// The connection breaks before the response.
        case lost
    }

    private struct ConnectionLost: Error {}

    private let state: Mutex<(steps: [Step], requests: [TransportRequest])>

    /// Creates a transport.
    /// - Parameter steps: the steps in order; the last one repeats.
    init(_ steps: Step...) {
        state = Mutex((steps, []))
    }

    var requests: [TransportRequest] { state.withLock(\.requests) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.count > 1 ? state.steps.removeFirst() : state.steps[0]
        }
        switch step {
        case .lost: throw ConnectionLost()
        case .response(let status, let headers, let text):
            let (parts, body) = AsyncThrowingStream.makeStream(of: Data.self)
            body.yield(Data(text.utf8))
            body.finish()
            return TransportResponse(status: status, headers: headers, body: parts)
        }
    }
}
