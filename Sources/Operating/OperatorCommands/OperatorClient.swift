import CommandLineSupport
import Foundation
import RangersClient

/// A client of a server's operator API.
struct OperatorClient {
    /// The default timeout: longer than 36 s, after which a server with the default request timeout, 30 s, reports a
    /// timeout itself.
    static let defaultTimeout = Duration.seconds(45)
    /// The timeout of requests for `/readyz`; a server responds to them within two seconds.
    private static let readinessTimeout = Duration.seconds(5)

    let server: URL
    private let token: String
    private let exchange: OperatorHTTPClient
    private let timeout: Duration

    /// Creates a client with an operator's token.
    /// - Parameters:
    ///   - server: the base URL, `http` or `https`.
    ///   - token: the operator's token, which is sent only to the server, possibly through a proxy.
    ///   - timeout: the timeout of a request.
    ///   - environment: the environment, which may name a proxy and certificate authorities.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` for an invalid proxy or an unreadable file of authorities.
    init(
        server: URL,
        token: String,
        timeout: Duration = defaultTimeout,
        environment: [String: String]
    ) throws(OperatorClientError) {
        self.server = server
        self.token = token
        self.timeout = timeout
        let authorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        if let authorities, !FileManager.default.isReadableFile(atPath: authorities) {
            throw .wrongUsage("cannot read the certificate authorities in \(authorities) (SSL_CERT_FILE)")
        }
        exchange = OperatorHTTPClient(
            through: try ProxyConfiguration(environment: environment).proxy(for: server),
            trusting: authorities
        )
    }

    /// Sends a GET request.
    /// - Returns: the body of the response.
    func get(_ path: String..., query: [URLQueryItem] = []) async throws(OperatorClientError) -> Data {
        try await explainingTimeouts { () throws(OperatorClientError) in try await send(request("GET", path, query)) }
    }

    /// Requests the server's diagnosis, without explaining timeouts.
    /// - Returns: the body of the response.
    func getDiagnosis() async throws(OperatorClientError) -> Data {
        try await send(request("GET", ["doctor"], []))
    }

    /// Sends a POST request that changes nothing or is idempotent, without retries.
    /// - Returns: the body of the response.
    func post(
        _ path: String...,
        query: [URLQueryItem] = [],
        body: some Encodable = EmptyBody()
    ) async throws(OperatorClientError) -> Data {
        try await explainingTimeouts { () throws(OperatorClientError) in
            try await send(post(path, query, body, key: nil))
        }
    }

    /// Sends a change, and retries it under the same idempotency key if the response is lost.
    /// - Returns: the body of the response.
    /// - Throws: the last ``OperatorClientError``; `CancellationError`.
    func change(
        _ path: String...,
        query: [URLQueryItem] = [],
        key: IdempotencyKey,
        body: some Encodable = EmptyBody()
    ) async throws -> Data {
        let request = post(path, query, body, key: key)
        var wasResponseLost = false
        do {
            return try await Retrier(report: StandardError.print, stopsAfterLongAttempts: true).run { error in
                wasResponseLost = error.isOutcomeUnknown
                return wasResponseLost
            } step: { () throws(OperatorClientError) in
                try await explainingTimeouts { () throws(OperatorClientError) in try await send(request) }
            }
        } catch {
            // After a permanent error no attempt has made the change: the server would have repeated its response.
            if wasResponseLost, (error as? OperatorClientError)?.isTransient != false {
                StandardError.print(
                    "The server may have made the change. It is safe to run the command again with "
                        + "--idempotency-key \(key.rawValue)."
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
    ) -> OperatorHTTPClient.Request {
        var request = request("POST", path, query)
        if let key { request.headers.append(("Idempotency-Key", key.rawValue)) }
        request.headers.append(("Content-Type", "application/json"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            request.body = try encoder.encode(body)
        } catch {
            preconditionFailure("a request body of strings and numbers could not be encoded: \(error)")
        }
        return request
    }

    /// Performs a step; after a timeout, adds the server's failed readiness checks to the error.
    private func explainingTimeouts(
        _ step: () async throws(OperatorClientError) -> Data
    ) async throws(OperatorClientError) -> Data {
        do throws(OperatorClientError) {
            return try await step()
        } catch {
            guard error.isTimeout else { throw error }
            let failedChecks = await failedReadinessChecks()
            throw failedChecks.isEmpty ? error : .notReady(error, failedChecks: failedChecks)
        }
    }

    /// Returns the failed readiness checks from `/readyz`, which needs no token.
    /// - Returns: the failed checks; empty if the server is ready or does not respond.
    func failedReadinessChecks() async -> [ServerProblem.FieldError] {
        let request = OperatorHTTPClient.Request(url: server.appending(path: "readyz"), headers: [Self.acceptsJSON])
        do throws(OperatorClientError) {
            _ = try await send(request, timeout: min(timeout, Self.readinessTimeout))
            return []
        } catch {
            guard case .problem(let problem) = error else { return [] }
            return problem.errors
        }
    }

    /// Decodes the body of a response.
    func decode<Response: Decodable>(_ type: Response.Type, from body: Data) throws(OperatorClientError) -> Response {
        do {
            return try JSONDecoder.rangersAPI.decode(type, from: body)
        } catch {
            throw .malformedResponse(server)
        }
    }

    private static let acceptsJSON = (name: "Accept", value: "application/json")

    private func request(_ method: String, _ path: [String], _ query: [URLQueryItem]) -> OperatorHTTPClient.Request {
        var url = path.reduce(server.appending(path: "admin").appending(path: "v1")) { $0.appending(component: $1) }
        if !query.isEmpty { url.append(queryItems: query) }
        return OperatorHTTPClient.Request(
            method: method,
            url: url,
            headers: [("Authorization", "Bearer \(token)"), Self.acceptsJSON]
        )
    }

    private func send(
        _ request: OperatorHTTPClient.Request,
        timeout: Duration? = nil
    ) async throws(OperatorClientError) -> Data {
        let timeout = timeout ?? self.timeout
        let response: OperatorHTTPClient.Response
        do throws(OperatorHTTPClient.Failure) {
            response = try await exchange.send(request, timeout: timeout)
        } catch {
            switch error {
            case .connectionFailed(let reason, let mayHaveArrived):
                throw .unreachable(server, reason: reason, mayHaveArrived: mayHaveArrived)
            case .timedOut: throw .timedOut(server, after: timeout)
            case .responseTooLarge:
                let limit = OperatorHTTPClient.maxBodyBytes >> 20
                throw .malformedResponse(server, reason: "it is larger than \(limit) MiB")
            }
        }
        guard (200..<300).contains(response.status) else {
            let name = "\(request.method) \(request.url.path(percentEncoded: false))"
            throw .problem(ServerProblem(status: response.status, body: response.body, request: name))
        }
        return response.body
    }
}

/// The body of a request without parameters: `{}`.
struct EmptyBody: Encodable {}
