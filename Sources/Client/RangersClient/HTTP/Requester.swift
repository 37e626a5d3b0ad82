import Encodings
package import Foundation

/// A JSON client for one server, authenticated as one player or unauthenticated.
///
/// It throws problems as errors, adds an idempotency key to each write, and retries after transient errors.
package struct Requester: Sendable {
    /// The idle timeout of requests: longer than any response takes, short enough for a user to wait for the next
    /// attempt.
    private static let idleTimeout = Duration.seconds(10)
    /// The idle timeout of event streams: three heartbeat intervals of the server.
    private static let streamIdleTimeout = Duration.seconds(45)
    /// The maximum size of a response, far above that of a page of 1,000 events (about 100 KiB).
    private static let maxResponseBytes = 8 * 1024 * 1024

    private let server: URL
    private let token: PlayerToken?
    var configuration: RangersConfiguration

    /// Creates a client.
    /// - Parameters:
    ///   - server: the base URL of the server.
    ///   - token: the token of the player; nil for unauthenticated requests.
    ///   - configuration: the transport, retry policy, clock and randomness.
    package init(server: URL, token: PlayerToken?, configuration: RangersConfiguration) {
        self.server = server
        self.token = token
        self.configuration = configuration
    }

    /// Sends a GET request and decodes the response.
    package func get<Response: Decodable>(_ path: String, query: [URLQueryItem] = []) async throws -> Response {
        let url = server.appending(path: path)
        let request = request("GET", query.isEmpty ? url : url.appending(queryItems: query), body: nil)
        return try decode(Response.self, from: try await send(request), of: request.url)
    }

    /// Sends a GET request and returns the body of the response, undecoded.
    func data(_ path: String, query: [URLQueryItem] = []) async throws -> Data {
        try await send(
            request("GET", query.isEmpty ? url(of: path) : url(of: path).appending(queryItems: query), body: nil)
        )
    }

    /// Returns the URL of a path of the server.
    func url(of path: String) -> URL { server.appending(path: path) }

    /// Sends a write and decodes the response.
    package func write<Response: Decodable>(
        _ method: String,
        _ path: String,
        _ body: (some Encodable)?,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey?
    ) async throws -> Response {
        let request = try request(writing: method, path, body, ifVersion: version, key: key)
        return try decode(Response.self, from: try await send(request), of: request.url)
    }

    /// Sends a write whose response has no body.
    package func write(
        _ method: String,
        _ path: String,
        _ body: (some Encodable)?,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey?
    ) async throws {
        _ = try await send(try request(writing: method, path, body, ifVersion: version, key: key))
    }

    /// Opens a stream of server-sent events, without retries.
    func open(_ path: String, after eventID: String?) async throws -> (url: URL, TransportResponse) {
        var request = request("GET", server.appending(path: path), body: nil)
        request.idleTimeout = Self.streamIdleTimeout
        request.headers["Accept"] = "text/event-stream, application/problem+json"
        if let eventID { request.headers["Last-Event-ID"] = eventID }
        return (request.url, try await exchange(request))
    }

    /// The body of a write without a body.
    package static let noBody: [String: String]? = nil

    private func request(
        writing method: String,
        _ path: String,
        _ body: (some Encodable)?,
        ifVersion version: Int64?,
        key: IdempotencyKey?
    ) throws -> TransportRequest {
        let encoder = JSONEncoder()
        // The server compares the bytes of requests under one key, also after a restart of the app.
        encoder.outputFormatting = .sortedKeys
        var request = request(method, server.appending(path: path), body: try body.map(encoder.encode))
        request.headers["Idempotency-Key"] = (key ?? IdempotencyKey(randomBits: configuration.randomBits)).rawValue
        if let version { request.headers["If-Match"] = "\"\(version)\"" }
        if body != nil { request.headers["Content-Type"] = "application/json" }
        return request
    }

    private func request(_ method: String, _ url: URL, body: Data?) -> TransportRequest {
        var headers = ["Accept": "application/json, application/problem+json"]
        if let token { headers["Authorization"] = "Bearer \(token.text)" }
        return TransportRequest(
            method: method,
            url: url,
            headers: headers,
            body: body,
            idleTimeout: Self.idleTimeout
        )
    }

    /// Decodes the body of a response.
    func decode<Response: Decodable>(_ type: Response.Type, from body: Data, of url: URL) throws -> Response {
        do {
            return try JSONDecoder.rangersAPI.decode(type, from: body)
        } catch {
            throw RangersError.malformedResponse(url, reason: "\(error)")
        }
    }

    private func send(_ request: TransportRequest) async throws -> Data {
        try await send(request, measuringWith: configuration.clock)
    }

    private func send(_ request: TransportRequest, measuringWith clock: some Clock<Duration>) async throws -> Data {
        let start = clock.now
        var failures = 0
        while true {
            do {
                return try await attempt(request)
            } catch let error as RangersError where error.isTransient {
                failures += 1
                let delay = configuration.retryPolicy.delay(
                    afterFailures: failures,
                    elapsed: start.duration(to: clock.now),
                    retryAfter: error.retryAfter,
                    randomBits: configuration.randomBits()
                )
                guard let delay else { throw error }
                try await clock.sleep(for: delay)
            }
        }
    }

    private func attempt(_ request: TransportRequest) async throws -> Data {
        try await Self.body(of: try await exchange(request), to: request)
    }

    /// Sends a request once.
    /// - Returns: a successful response, whose body may not have arrived yet.
    /// - Throws: ``RangersError``; `CancellationError`.
    private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let response: TransportResponse
        do {
            response = try await configuration.transport.send(request)
        } catch {
            try Task.checkCancellation()
            throw RangersError.unreachable(request.url, reason: error.localizedDescription)
        }
        guard (200..<300).contains(response.status) else {
            let name = "\(request.method) \(request.url.path(percentEncoded: false))"
            throw RangersError.problem(
                ServerProblem(response, body: try await Self.body(of: response, to: request), request: name)
            )
        }
        return response
    }

    private static func body(of response: TransportResponse, to request: TransportRequest) async throws -> Data {
        var body = Data()
        do {
            for try await part in response.body {
                body += part
                guard body.count <= maxResponseBytes else {
                    throw RangersError.malformedResponse(request.url, reason: "it is larger than 8 MiB")
                }
            }
        } catch let error as RangersError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw RangersError.unreachable(request.url, reason: error.localizedDescription)
        }
        // The stream of a cancelled task ends without an error.
        try Task.checkCancellation()
        return body
    }
}

extension JSONDecoder {
    /// A decoder for responses, in which dates are RFC 3339 in UTC with milliseconds.
    package static var rangersAPI: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let timestamp = Timestamp(rfc3339: text) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "'\(text)' is not an RFC 3339 date"
                )
            }
            return Date(timeIntervalSince1970: TimeInterval(timestamp.microseconds) / 1_000_000)
        }
        return decoder
    }
}
