import Foundation
import FoundationNetworking
import JSONCoding

/// A client that sends requests to an API on this machine, and checks each response against the contract.
struct APIClient: Sendable {
    let port: Int
    private let session: URLSession

    /// Creates a client with enough connections for all concurrent requests of a test: none may wait in the client.
    init(port: Int, connections: Int = 32) {
        self.port = port
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        session = URLSession(configuration: configuration)
    }

    /// Returns a client of the same API with another number of connections.
    func with(connections: Int) -> Self { Self(port: port, connections: connections) }

    /// Sends a request with an optional JSON body.
    func send(
        _ method: String,
        _ path: String,
        token: String? = nil,
        body: JSONValue? = nil,
        headers: [String: String] = [:]
    ) async throws -> Reply {
        var headers = headers
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if body != nil { headers["Content-Type"] = "application/json" }
        // The keys are sorted, so that equal requests have equal bytes.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try await send(method, path, bytes: try body.map { try encoder.encode($0) }, headers: headers)
    }

    /// Sends a request with an optional body of any bytes.
    func send(_ method: String, _ path: String, bytes: Data?, headers: [String: String]) async throws -> Reply {
        try await reply(to: try request(method, path, headers: headers) { $0.httpBody = bytes })
    }

    /// Sends a request whose body has chunked encoding, without `Content-Length`.
    func send(_ method: String, _ path: String, streaming bytes: Data, headers: [String: String]) async throws -> Reply
    {
        try await reply(
            to: try request(method, path, headers: headers) { $0.httpBodyStream = InputStream(data: bytes) }
        )
    }

    private func request(
        _ method: String,
        _ path: String,
        headers: [String: String],
        _ addBody: (inout URLRequest) -> Void
    ) throws -> URLRequest {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw NoResponseError() }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        addBody(&request)
        return request
    }

    private func reply(to request: URLRequest) async throws -> Reply {
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw NoResponseError() }
        let reply = Reply(response: response, body: data)
        Contract.check(reply, to: request.httpMethod ?? "GET", request.url?.relativeTarget ?? "")
        return reply
    }

    struct NoResponseError: Error {}
}

/// The response to a request.
struct Reply: Sendable {
    let status: Int
    let text: String
    /// The body; null if it is not JSON.
    let json: JSONValue
    private let headers: [String: String]

    init(response: HTTPURLResponse, body: Data) {
        status = response.statusCode
        text = String(decoding: body, as: UTF8.self)
        json = (try? JSONDecoder().decode(JSONValue.self, from: body)) ?? .null
        headers = Dictionary(
            response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") },
            uniquingKeysWith: { $0 + ", " + $1 }
        )
    }

    func header(_ name: String) -> String? { headers[name.lowercased()] }

    /// The end of the problem's type, such as `party-full`; empty if the response is not a problem.
    var slug: String {
        guard header("Content-Type") == "application/problem+json" else { return "" }
        return json["type"].text.replacing("urn:emoji-rangers:problem:", with: "")
    }

    /// The errors of the problem by the names of the fields.
    var fieldErrors: [String: String] {
        Dictionary(
            json["errors"].array.map { ($0["field"].text, $0["reason"].text) },
            uniquingKeysWith: { $0 + "; " + $1 }
        )
    }
}

extension URL {
    /// The request target in origin form: the encoded path and query.
    fileprivate var relativeTarget: String { path(percentEncoded: true) + (query.map { "?\($0)" } ?? "") }
}
