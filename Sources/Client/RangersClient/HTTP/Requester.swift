package import Foundation

/// Sends requests to one server, for one player or for nobody yet: JSON there and back, problems thrown, writes keyed, and
/// what may pass tried again.
package struct Requester: Sendable {
    /// Longer than any answer takes, short enough that a person waits for the next try.
    private static let longestSilence = Duration.seconds(10)
    private static let longestSilenceOfStreams = Duration.seconds(45)
    /// A page of 1,000 events has about 100 KiB.
    private static let largestAnswerBytes = 8 * 1024 * 1024

    private let server: URL
    private let token: PlayerToken?
    var configuration: RangersConfiguration

    /// What speaks with the server at an address, for whoever has the token.
    package init(server: URL, token: PlayerToken?, configuration: RangersConfiguration) {
        self.server = server
        self.token = token
        self.configuration = configuration
    }

    /// Asks for something.
    package func get<Answer: Decodable>(_ path: String, query: [URLQueryItem] = []) async throws -> Answer {
        let url = server.appending(path: path)
        let request = request("GET", query.isEmpty ? url : url.appending(queryItems: query), body: nil)
        return try decode(Answer.self, from: try await send(request), of: request.url)
    }

    /// Asks for something that is only handed on.
    func data(_ path: String) async throws -> Data {
        try await send(request("GET", server.appending(path: path), body: nil))
    }

    /// Changes something.
    package func write<Answer: Decodable>(
        _ method: String,
        _ path: String,
        _ body: (some Encodable)?,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey?
    ) async throws -> Answer {
        let request = try request(writing: method, path, body, ifVersion: version, key: key)
        return try decode(Answer.self, from: try await send(request), of: request.url)
    }

    /// Changes something whose answer says nothing.
    package func write(
        _ method: String,
        _ path: String,
        _ body: (some Encodable)?,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey?
    ) async throws {
        _ = try await send(try request(writing: method, path, body, ifVersion: version, key: key))
    }

    /// Opens a stream of events, once; its silence may be as long as three of the server's heartbeats.
    func open(_ path: String, after sequence: Int) async throws -> (url: URL, TransportAnswer) {
        var request = request("GET", server.appending(path: path), body: nil)
        request.longestSilence = Self.longestSilenceOfStreams
        request.headers["Accept"] = "text/event-stream, application/problem+json"
        if sequence > 0 { request.headers["Last-Event-ID"] = "\(sequence)" }
        return (request.url, try await exchange(request))
    }

    /// What a write without a body has for one.
    package static let noBody: [String: String]? = nil

    private func request(
        writing method: String,
        _ path: String,
        _ body: (some Encodable)?,
        ifVersion version: Int64?,
        key: IdempotencyKey?
    ) throws -> TransportRequest {
        let encoder = JSONEncoder()
        // A key holds for the same bytes only, also when the app sends them again after a restart.
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
            longestSilence: Self.longestSilence
        )
    }

    /// Reads an answer.
    func decode<Answer: Decodable>(_ type: Answer.Type, from body: Data, of url: URL) throws -> Answer {
        do {
            return try JSONDecoder.answers.decode(type, from: body)
        } catch {
            throw RangersError.notUnderstood(url, reason: "\(error)")
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
            } catch let error as RangersError where error.mayPass {
                failures += 1
                let pause = configuration.retryPolicy.pause(
                    afterFailures: failures,
                    elapsed: start.duration(to: clock.now),
                    retryAfter: error.retryAfter,
                    randomBits: configuration.randomBits()
                )
                guard let pause else { throw error }
                try await clock.sleep(for: pause)
            }
        }
    }

    private func attempt(_ request: TransportRequest) async throws -> Data {
        try await Self.body(of: try await exchange(request), to: request)
    }

    /// Sends a request once.
    /// - Returns: an answer that is a good one, with its body still to come.
    private func exchange(_ request: TransportRequest) async throws -> TransportAnswer {
        try Task.checkCancellation()
        let answer: TransportAnswer
        do {
            answer = try await configuration.transport.send(request)
        } catch {
            try Task.checkCancellation()
            throw RangersError.unreachable(request.url, reason: error.localizedDescription)
        }
        guard (200..<300).contains(answer.status) else {
            let asked = "\(request.method) \(request.url.path(percentEncoded: false))"
            throw RangersError.problem(Problem(answer, body: try await Self.body(of: answer, to: request), to: asked))
        }
        return answer
    }

    private static func body(of answer: TransportAnswer, to request: TransportRequest) async throws -> Data {
        var body = Data()
        do {
            for try await part in answer.body {
                body += part
                guard body.count <= largestAnswerBytes else {
                    throw RangersError.notUnderstood(request.url, reason: "it is too large")
                }
            }
        } catch let error as RangersError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw RangersError.unreachable(request.url, reason: error.localizedDescription)
        }
        // A stream ends without an error for who has been cancelled.
        try Task.checkCancellation()
        return body
    }
}

extension JSONDecoder {
    /// What reads answers: moments are RFC 3339 in UTC with milliseconds.
    static var answers: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            do {
                return try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
            } catch {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no moment")
            }
        }
        return decoder
    }
}
