import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// JSON over HTTP to one server, as an app speaks it: patient with a server that is being restarted.
///
/// Every write carries an idempotency key, so that trying again does nothing twice; all but `POST v1/players`, since keys
/// are a player's: a registration that is tried again may leave a player behind whom nobody plays.
struct JSONClient: Sendable {
    /// How long one try may take.
    private static let timeoutSeconds = 10.0
    /// Between two tries.
    private static let pause = Duration.milliseconds(100)
    /// One for all players: it keeps connections open, as an app does.
    private static let session = URLSession(configuration: .ephemeral)

    let server: URL
    var token: String?
    /// For how long a server that does not answer, or whose database is away, is tried again.
    let patience: Duration

    /// Asks for something.
    func get<Answer: Decodable>(_ path: String, query: [URLQueryItem] = []) async throws -> Answer {
        let url = server.appending(path: path)
        return try decode(try await send(request("GET", query.isEmpty ? url : url.appending(queryItems: query))))
    }

    /// Changes something.
    func send<Answer: Decodable>(_ method: String, _ path: String, body: some Encodable) async throws -> Answer {
        try decode(try await send(write(method, path, body)))
    }

    private func write(_ method: String, _ path: String, _ body: some Encodable) throws -> URLRequest {
        var request = request(method, server.appending(path: path))
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
        request.httpBody = try JSONEncoder().encode(body)
        return request
    }

    private func request(_ method: String, _ url: URL) -> URLRequest {
        var request = URLRequest(url: url, timeoutInterval: Self.timeoutSeconds)
        request.httpMethod = method
        if let token {
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        return request
    }

    private func decode<Answer: Decodable>(_ answer: (url: URL, body: Data)) throws -> Answer {
        do {
            return try JSONDecoder().decode(Answer.self, from: answer.body)
        } catch {
            throw ClientError.notUnderstood(answer.url, reason: "\(error)")
        }
    }

    private func send(_ request: URLRequest) async throws -> (url: URL, body: Data) {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try await attempt(request)
            } catch let error as ClientError where error.mayPass && ContinuousClock.now < deadline {
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    private func attempt(_ request: URLRequest) async throws -> (url: URL, body: Data) {
        let url = request.url ?? server
        let body: Data
        let response: URLResponse
        do {
            (body, response) = try await Self.session.data(for: request)
        } catch {
            try Task.checkCancellation()
            throw ClientError.unreachable(url, reason: error.localizedDescription)
        }
        guard let response = response as? HTTPURLResponse else {
            throw ClientError.notUnderstood(url, reason: "it is not HTTP")
        }
        guard (200..<300).contains(response.statusCode) else {
            let problem = try? JSONDecoder().decode(ProblemAnswer.self, from: body)
            throw ClientError.refused(
                ClientError.Refused(
                    request: "\(request.httpMethod ?? "") \(url.path(percentEncoded: false))",
                    status: response.statusCode,
                    slug: problem?.slug ?? "",
                    detail: problem?.detail ?? problem?.title ?? ""
                )
            )
        }
        return (url, body)
    }
}

/// `application/problem+json` (RFC 9457).
private struct ProblemAnswer: Decodable {
    let type: String?
    let title: String?
    let detail: String?

    /// The last part of the type, which is a URN.
    var slug: String? { type?.split(separator: ":").last.map(String.init) }
}

extension ClientError {
    /// Whether the same request may succeed a moment later: the server is away, or its database.
    fileprivate var mayPass: Bool {
        switch self {
        case .unreachable: true
        case .refused(let refused): refused.status == 503
        case .notUnderstood, .programFailed: false
        }
    }
}
