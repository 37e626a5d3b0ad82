import Foundation
import RangersCommandLine

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The operators' REST of one server.
///
/// A proxy that `http_proxy` names sees all of it, the token too, unless `no_proxy` names the server: on Linux
/// Foundation leaves proxies to libcurl and its environment, and heeds no `connectionProxyDictionary`.
struct OperatorClient {
    /// How long the server may take: far longer than any of its requests, short enough for somebody who waits.
    private static let patienceSeconds = 30.0

    /// After these nothing was sent.
    private static let noConnection: [URLError.Code?] = [.cannotConnectToHost, .cannotFindHost]

    let server: URL
    private let token: String

    /// A client of a server, with an operator's token.
    init(server: URL, token: String) {
        self.server = server
        self.token = token
    }

    /// Asks for something.
    /// - Returns: the body of the answer.
    func get(_ path: String..., query: [URLQueryItem] = []) async throws(OperatorClientError) -> Data {
        try await send(request("GET", path, query))
    }

    /// Asks for something that is no change, or that may be done twice.
    /// - Returns: the body of the answer.
    func post(
        _ path: String...,
        query: [URLQueryItem] = [],
        body: some Encodable = NothingMore()
    ) async throws(OperatorClientError) -> Data {
        try await send(post(path, query, body, key: nil))
    }

    /// Changes something once: where the answer is lost the same is sent again, which the server knows by the key.
    /// - Returns: the body of the answer.
    /// - Throws: ``OperatorClientError``; the last one, where there was no answer for long.
    func change(
        _ path: String...,
        query: [URLQueryItem] = [],
        key: IdempotencyKey,
        body: some Encodable = NothingMore()
    ) async throws -> Data {
        let request = post(path, query, body, key: key)
        var wasLost = false
        do {
            return try await Perseverance(say: StandardError.print).run { error in
                wasLost = error.leavesOpen
                return wasLost
            } step: { () throws(OperatorClientError) in
                try await send(request)
            }
        } catch {
            // What is refused in the end was not done before: its answer would have been kept.
            if wasLost, (error as? OperatorClientError)?.mayPass != false {
                StandardError.print(
                    "It may have been done all the same; the same again with --idempotency-key \(key.text) "
                        + "does nothing twice."
                )
            }
            throw error
        }
    }

    private func post(
        _ path: [String],
        _ query: [URLQueryItem],
        _ body: some Encodable,
        key: IdempotencyKey?
    ) -> URLRequest {
        var request = request("POST", path, query)
        request.setValue(key?.text, forHTTPHeaderField: "Idempotency-Key")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            request.httpBody = try encoder.encode(body)
        } catch {
            preconditionFailure("our own bodies are texts and numbers, which always encode: \(error)")
        }
        return request
    }

    /// What the server misses to be ready, by `/readyz`, which takes no token; nothing where it is ready, or says nothing.
    func whatIsMissing() async -> [Problem.FieldError] {
        var request = URLRequest(url: server.appending(path: "readyz"), timeoutInterval: Self.patienceSeconds)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        do throws(OperatorClientError) {
            _ = try await send(request)
            return []
        } catch {
            guard case .refused(let problem) = error else { return [] }
            return problem.errors ?? []
        }
    }

    /// Reads an answer.
    func decode<Answer: Decodable>(_ type: Answer.Type, from body: Data) throws(OperatorClientError) -> Answer {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw .notUnderstood(server)
        }
    }

    private func request(_ method: String, _ path: [String], _ query: [URLQueryItem]) -> URLRequest {
        var url = path.reduce(server.appending(path: "admin").appending(path: "v1")) { $0.appending(component: $1) }
        if !query.isEmpty { url.append(queryItems: query) }
        var request = URLRequest(url: url, timeoutInterval: Self.patienceSeconds)
        request.httpMethod = method
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        return request
    }

    private func send(_ request: URLRequest) async throws(OperatorClientError) -> Data {
        // On Linux the timeout of a request is not heeded, but that of its session.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.patienceSeconds
        let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let body: Data
        let response: URLResponse
        do {
            (body, response) = try await session.data(for: request)
        } catch {
            throw .unreachable(
                server,
                reason: Self.reason(for: error),
                mayHaveArrived: !Self.noConnection.contains((error as? URLError)?.code)
            )
        }
        guard let response = response as? HTTPURLResponse else { throw .notUnderstood(server) }
        guard (200..<300).contains(response.statusCode) else {
            throw .refused(Problem(status: response.statusCode, body: body))
        }
        return body
    }

    private static func reason(for error: any Error) -> String {
        switch (error as? URLError)?.code {
        case .cannotConnectToHost: "the connection was refused"
        case .cannotFindHost: "there is no such host"
        case .timedOut: "it took longer than \(Int(patienceSeconds)) s"
        case .networkConnectionLost: "the connection broke"
        default: error.localizedDescription
        }
    }
}

/// The body of a request whose path says everything: `{}`.
struct NothingMore: Encodable {}

/// Follows no redirection: the token is for the server that was named, and for no other.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
