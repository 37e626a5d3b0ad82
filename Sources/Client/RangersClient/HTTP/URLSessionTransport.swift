import Synchronization

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The transport of Foundation's `URLSession`, on Apple's platforms and on Linux.
///
/// It works around what `URLSession` lacks on Linux:
///
/// - It has no bytes to iterate over, and follows redirects without asking where it is given a completion handler: so
///   everything goes through the delegate.
/// - It knows the timeouts of sessions only, not those of requests: so there is a session for each timeout.
/// - Where a connection that was kept turns out to be closed, libcurl sends a request again without its body, and the
///   server waits for the body until the timeout. To say that the connection is to be closed is not enough: libcurl keeps
///   it until the server has done so. So a request with a body has a session of its own, which shares no connection.
public final class URLSessionTransport: RangersTransport {
    private typealias Session = (URLSession, Exchanges)

    private struct Sessions {
        let configuration: URLSessionConfiguration
        /// By the longest silence of the requests that share them.
        var open: [Duration: Session] = [:]

        /// A session for requests that may be silent so long.
        func make(longestSilence: Duration) -> Session {
            // The session takes a copy of it.
            configuration.timeoutIntervalForRequest = longestSilence / .seconds(1)
            let exchanges = Exchanges()
            return (URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil), exchanges)
        }
    }

    private let sessions: Mutex<Sessions>

    /// A transport with sessions of its own.
    /// - Parameter configuration: for them all; cookies and caches are of no use.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        sessions = Mutex(Sessions(configuration: configuration))
    }

    deinit {
        // A session holds its delegate, and its connections, until it is told that there is no more to come.
        sessions.withLock { sessions in
            for (session, _) in sessions.open.values { session.finishTasksAndInvalidate() }
        }
    }

    /// Sends a request.
    public func send(_ request: TransportRequest) async throws -> TransportAnswer {
        #if canImport(FoundationNetworking)
        let isAlone = request.body != nil
        #else
        let isAlone = false
        #endif
        let (session, exchanges) = session(for: request, alone: isAlone)
        let task = session.dataTask(with: request.forURLSession)
        let (heads, head) = AsyncThrowingStream.makeStream(of: TransportAnswer.self)
        head.onTermination = { if case .cancelled = $0 { task.cancel() } }
        exchanges.add(Exchange(head: head) { task.cancel() }, to: task)
        task.resume()
        if isAlone { session.finishTasksAndInvalidate() }
        for try await answer in heads { return answer }
        // The stream ends without a head for who has been cancelled alone.
        throw CancellationError()
    }

    private func session(for request: TransportRequest, alone: Bool) -> Session {
        sessions.withLock { sessions in
            if !alone, let open = sessions.open[request.longestSilence] { return open }
            let made = sessions.make(longestSilence: request.longestSilence)
            if !alone { sessions.open[request.longestSilence] = made }
            return made
        }
    }
}

extension TransportRequest {
    fileprivate var forURLSession: URLRequest {
        var request = URLRequest(url: url, timeoutInterval: longestSilence / .seconds(1))
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
}

/// A request under way: who waits for its head, and where its body goes.
private struct Exchange: Sendable {
    private typealias Parts = AsyncThrowingStream<Data, any Error>

    /// Answers are read at once, and events are small: who is this far behind reads no more.
    private static let mostPartsUnread = 4_096

    private let head: AsyncThrowingStream<TransportAnswer, any Error>.Continuation
    private let body: Parts.Continuation
    /// What the body is read from; the reader's alone once the head is there, so that it ends when the reader lets go.
    private var parts: Parts?

    init(
        head: AsyncThrowingStream<TransportAnswer, any Error>.Continuation,
        cancel: @escaping @Sendable () -> Void
    ) {
        self.head = head
        (parts, body) = Parts.makeStream(bufferingPolicy: .bufferingOldest(Self.mostPartsUnread))
        body.onTermination = { if case .cancelled = $0 { cancel() } }
    }

    mutating func headArrived(_ response: HTTPURLResponse) {
        guard let parts = parts.take() else { return }
        let headers = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        let answer = TransportAnswer(
            status: response.statusCode,
            headers: Dictionary(headers, uniquingKeysWith: { "\($0), \($1)" }),
            body: parts
        )
        head.yield(answer)
        head.finish()
    }

    /// - Returns: whether there was room for it.
    func bodyArrived(_ data: Data) -> Bool {
        guard case .dropped = body.yield(data) else { return true }
        body.finish(throwing: URLError(.dataLengthExceedsMaximum))
        return false
    }

    /// The response is that of the task: of a redirect that is not followed, the session need not have told.
    mutating func ended(_ response: URLResponse?, with error: (any Error)?) {
        if error == nil, let response = response as? HTTPURLResponse { headArrived(response) }
        head.finish(throwing: error ?? URLError(.badServerResponse))
        body.finish(throwing: error)
    }
}

/// Hands what the session tells on to the request that it is about.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private let underway = Mutex<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, to task: URLSessionTask) {
        underway.withLock { $0[task.taskIdentifier] = exchange }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            underway.withLock { $0[dataTask.taskIdentifier]?.headArrived(response) }
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let exchange = underway.withLock { $0[dataTask.taskIdentifier] }
        if exchange?.bodyArrived(data) == false { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        var exchange = underway.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.ended(task.response, with: error)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
