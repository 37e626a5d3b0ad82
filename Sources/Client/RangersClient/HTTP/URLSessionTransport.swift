import Synchronization

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport over Foundation's `URLSession`, for Apple's platforms and Linux.
///
/// It works around three limits of `URLSession` on Linux:
///
/// - `bytes(for:)` does not exist, and tasks with a completion handler follow redirects without asking. Therefore all
///   tasks use the delegate.
/// - Timeouts of requests are ignored, and only those of sessions apply. Therefore each timeout has a session.
/// - If a kept-alive connection turns out to be closed, libcurl resends a request without its body, and the server
///   waits for the body until its timeout. `Connection: close` does not help, because libcurl keeps the connection
///   until the server closes it. Therefore each request with a body has a session of its own, which shares no
///   connection.
public final class URLSessionTransport: RangersTransport {
    private typealias Session = (URLSession, Exchanges)

    private struct Sessions {
        let configuration: URLSessionConfiguration
        /// The shared sessions by the idle timeout of their requests.
        var open: [Duration: Session] = [:]

        /// Creates a session for requests with an idle timeout.
        func make(idleTimeout: Duration) -> Session {
            // The session copies its configuration.
            configuration.timeoutIntervalForRequest = idleTimeout / .seconds(1)
            let exchanges = Exchanges()
            return (URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil), exchanges)
        }
    }

    private let sessions: Mutex<Sessions>

    /// Creates a transport.
    /// - Parameter configuration: the configuration of its sessions; the API needs neither cookies nor caches.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        sessions = Mutex(Sessions(configuration: configuration))
    }

    deinit {
        // A session retains its delegate and keeps its connections until it is invalidated.
        sessions.withLock { sessions in
            for (session, _) in sessions.open.values { session.finishTasksAndInvalidate() }
        }
    }

    /// Sends a request.
    /// - Parameter request: the request.
    /// - Returns: the response, as soon as its head has arrived.
    /// - Throws: the `URLError` of the task; `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        #if canImport(FoundationNetworking)
        let needsOwnSession = request.body != nil
        #else
        let needsOwnSession = false
        #endif
        let (session, exchanges) = session(for: request, isShared: !needsOwnSession)
        let task = session.dataTask(with: request.forURLSession)
        let (heads, head) = AsyncThrowingStream.makeStream(of: TransportResponse.self)
        head.onTermination = { if case .cancelled = $0 { task.cancel() } }
        exchanges.add(Exchange(head: head) { task.cancel() }, to: task)
        task.resume()
        if needsOwnSession { session.finishTasksAndInvalidate() }
        for try await response in heads { return response }
        // Only cancellation ends the stream without a head.
        throw CancellationError()
    }

    private func session(for request: TransportRequest, isShared: Bool) -> Session {
        sessions.withLock { sessions in
            if isShared, let open = sessions.open[request.idleTimeout] { return open }
            let session = sessions.make(idleTimeout: request.idleTimeout)
            if isShared { sessions.open[request.idleTimeout] = session }
            return session
        }
    }
}

extension TransportRequest {
    fileprivate var forURLSession: URLRequest {
        var request = URLRequest(url: url, timeoutInterval: idleTimeout / .seconds(1))
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
}

/// A request in flight, with the continuations for the head and the body of its response.
private struct Exchange: Sendable {
    private typealias Parts = AsyncThrowingStream<Data, any Error>

    /// The maximum number of unread parts.
    ///
    /// Responses are read at once and events are small: a reader this far behind has stopped.
    private static let maxUnreadParts = 4_096

    private let head: AsyncThrowingStream<TransportResponse, any Error>.Continuation
    private let body: Parts.Continuation
    /// The stream of the body until the head arrives.
    ///
    /// Then only the reader owns it, so that dropping it ends the request.
    private var parts: Parts?

    init(
        head: AsyncThrowingStream<TransportResponse, any Error>.Continuation,
        cancel: @escaping @Sendable () -> Void
    ) {
        self.head = head
        (parts, body) = Parts.makeStream(bufferingPolicy: .bufferingOldest(Self.maxUnreadParts))
        body.onTermination = { if case .cancelled = $0 { cancel() } }
    }

    mutating func headArrived(_ response: HTTPURLResponse) {
        guard let parts = parts.take() else { return }
        let headers = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        let response = TransportResponse(
            status: response.statusCode,
            headers: Dictionary(headers, uniquingKeysWith: { "\($0), \($1)" }),
            body: parts
        )
        head.yield(response)
        head.finish()
    }

    /// Buffers a part of the body.
    /// - Returns: false if the buffer is full.
    func bodyArrived(_ data: Data) -> Bool {
        guard case .dropped = body.yield(data) else { return true }
        body.finish(throwing: URLError(.dataLengthExceedsMaximum))
        return false
    }

    /// Finishes both streams.
    ///
    /// `response` is the task's: the session may not report the head of an unfollowed redirect.
    mutating func ended(_ response: URLResponse?, with error: (any Error)?) {
        if error == nil, let response = response as? HTTPURLResponse { headArrived(response) }
        head.finish(throwing: error ?? URLError(.badServerResponse))
        body.finish(throwing: error)
    }
}

/// A session delegate that forwards events to the exchange of their task.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private let exchanges = Mutex<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, to task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            exchanges.withLock { $0[dataTask.taskIdentifier]?.headArrived(response) }
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let exchange = exchanges.withLock { $0[dataTask.taskIdentifier] }
        if exchange?.bodyArrived(data) == false { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        var exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
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
