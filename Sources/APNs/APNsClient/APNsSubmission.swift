import HTTP2Transport

/// Messages that are sent together and have their results in parts.
///
/// A message is sent again with another provider token if APNs rejected its token and another one can help, and over
/// the connections of a new key if its own were shut down before it was sent. Each message has exactly one result.
final class APNsSubmission<Message: APNsMessage>: Sendable {
    /// Receives results in any order, each with the index of its message; called on a transport's thread.
    typealias Receiver = @Sendable ([(index: Int, outcome: APNsSendResult)]) -> Void

    private let messages: [Message]
    private let endpoint: APNsEndpoint
    private let deadline: ContinuousClock.Instant
    private let current: @Sendable () -> APNsKeyConnections
    private let resumesTasks: Bool
    private let receive: Receiver

    /// Creates a submission.
    /// - Parameters:
    ///   - messages: the messages, of which ``send(_:)`` sends some.
    ///   - endpoint: the endpoint.
    ///   - deadline: the latest time of each result.
    ///   - current: returns the connections of the current key.
    ///   - resumesTasks: whether `receive` resumes tasks.
    ///   - receive: receives the results.
    init(
        _ messages: [Message],
        to endpoint: APNsEndpoint,
        until deadline: ContinuousClock.Instant,
        over current: @escaping @Sendable () -> APNsKeyConnections,
        resumesTasks: Bool,
        receive: @escaping Receiver
    ) {
        self.messages = messages
        self.endpoint = endpoint
        self.deadline = deadline
        self.current = current
        self.resumesTasks = resumesTasks
        self.receive = receive
    }

    /// Sends the messages with the given indices.
    func send(_ indices: [Int]) {
        send(indices, over: current())
    }

    private func send(_ indices: [Int], over connections: APNsKeyConnections) {
        do throws(ProviderKeyError) {
            send(indices, over: connections, with: try connections.credentials(), isRetry: false)
        } catch {
            receive(indices.map { ($0, .noToken(error)) })
        }
    }

    private func send(
        _ indices: [Int],
        over connections: APNsKeyConnections,
        with credentials: Credentials,
        isRetry: Bool
    ) {
        var builder = APNsRequestBuilder(credentials)
        let requests = indices.map { messages[$0].request(&builder) }
        let client = connections.client(of: endpoint)
        client.submit(requests, until: deadline, resumesTasks: resumesTasks) { [self] outcomes in
            var results: [(index: Int, outcome: APNsSendResult)] = []
            results.reserveCapacity(outcomes.count)
            var repeated: [(index: Int, outcome: APNsSendResult)] = []
            for (position, outcome) in outcomes {
                let result = APNsSendResult.outcome(outcome)
                if result.isUnsentAtShutdown || !isRetry && result.tokenFault != nil {
                    repeated.append((indices[position], result))
                } else {
                    results.append((indices[position], result))
                }
            }
            if !results.isEmpty { receive(results) }
            if !repeated.isEmpty { send(again: repeated, over: connections, insteadOf: credentials) }
        }
    }

    /// Sends messages again if that can help; otherwise their results are final.
    private func send(
        again repeated: [(index: Int, outcome: APNsSendResult)],
        over connections: APNsKeyConnections,
        insteadOf credentials: Credentials
    ) {
        let unsent = repeated.filter(\.outcome.isUnsentAtShutdown)
        if !unsent.isEmpty {
            let newest = current()
            if newest === connections { receive(unsent) } else { send(unsent.map(\.index), over: newest) }
        }
        let rejected = repeated.filter { $0.outcome.tokenFault != nil }
        guard let fault = rejected.first?.outcome.tokenFault else { return }
        if let token = connections.replacement(of: credentials.token, for: fault) {
            send(rejected.map(\.index), over: connections, with: Credentials(token), isRetry: true)
        } else {
            receive(rejected)
        }
    }
}
