import CommandLineSupport
import Foundation

/// The operators' REST of one server.
struct OperatorClient {
    /// How long the server may take: longer than any server needs to answer, or to say that it gives up, which it does
    /// after 36 s at the latest, unless its settings let requests take longer than 30 s.
    static let standardPatience = Duration.seconds(45)
    /// `/readyz` answers within two seconds, or there is nobody who could.
    private static let readinessPatience = Duration.seconds(5)

    let server: URL
    private let token: String
    private let exchange: HTTPExchange
    private let patience: Duration

    /// A client of a server, with an operator's token.
    /// - Parameters:
    ///   - server: its address, `http` or `https`.
    ///   - token: goes to that server, and through its proxy.
    ///   - patience: how long an answer is waited for.
    ///   - environment: names the proxy, and the authorities to trust.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` for a proxy that makes no sense, and authorities that cannot be read.
    init(
        server: URL,
        token: String,
        patience: Duration = standardPatience,
        environment: [String: String]
    ) throws(OperatorClientError) {
        self.server = server
        self.token = token
        self.patience = patience
        let authorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        if let authorities, !FileManager.default.isReadableFile(atPath: authorities) {
            throw .wrongUsage("the file of authorities \(authorities) cannot be read, which SSL_CERT_FILE names")
        }
        exchange = HTTPExchange(
            through: try ProxyChoice(environment: environment).proxy(before: server),
            trusting: authorities
        )
    }

    /// Asks for something.
    /// - Returns: the body of the answer.
    func get(_ path: String..., query: [URLQueryItem] = []) async throws(OperatorClientError) -> Data {
        try await explained { () throws(OperatorClientError) in try await send(request("GET", path, query)) }
    }

    /// Asks what is wrong, and leaves it to whoever asks to find out why there is no answer.
    /// - Returns: the body of the answer.
    func getDiagnosis() async throws(OperatorClientError) -> Data {
        try await send(request("GET", ["doctor"], []))
    }

    /// Asks for something that is no change, or that may be done twice.
    /// - Returns: the body of the answer.
    func post(
        _ path: String...,
        query: [URLQueryItem] = [],
        body: some Encodable = NothingMore()
    ) async throws(OperatorClientError) -> Data {
        try await explained { () throws(OperatorClientError) in try await send(post(path, query, body, key: nil)) }
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
            return try await Perseverance(say: StandardError.print, endsAfterLongTries: true).run { error in
                wasLost = error.leavesOpen
                return wasLost
            } step: { () throws(OperatorClientError) in
                try await explained { () throws(OperatorClientError) in try await send(request) }
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
    ) -> HTTPExchange.Request {
        var request = request("POST", path, query)
        if let key { request.headers.append(("Idempotency-Key", key.text)) }
        request.headers.append(("Content-Type", "application/json"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            request.body = try encoder.encode(body)
        } catch {
            preconditionFailure("our own bodies are texts and numbers, which always encode: \(error)")
        }
        return request
    }

    /// Does something, and where the server gives up or says nothing, asks it what it misses.
    private func explained(
        _ step: () async throws(OperatorClientError) -> Data
    ) async throws(OperatorClientError) -> Data {
        do throws(OperatorClientError) {
            return try await step()
        } catch {
            guard error.isExplainedByWhatIsMissing else { throw error }
            let missing = await whatIsMissing()
            throw missing.isEmpty ? error : .notReady(error, missing: missing)
        }
    }

    /// What the server misses to be ready, by `/readyz`, which takes no token; nothing where it is ready, or says nothing.
    func whatIsMissing() async -> [Problem.FieldError] {
        let request = HTTPExchange.Request(url: server.appending(path: "readyz"), headers: [Self.acceptsJSON])
        do throws(OperatorClientError) {
            _ = try await send(request, waiting: min(patience, Self.readinessPatience))
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

    private static let acceptsJSON = (name: "Accept", value: "application/json")

    private func request(_ method: String, _ path: [String], _ query: [URLQueryItem]) -> HTTPExchange.Request {
        var url = path.reduce(server.appending(path: "admin").appending(path: "v1")) { $0.appending(component: $1) }
        if !query.isEmpty { url.append(queryItems: query) }
        return HTTPExchange.Request(
            method: method,
            url: url,
            headers: [("Authorization", "Bearer \(token)"), Self.acceptsJSON]
        )
    }

    private func send(
        _ request: HTTPExchange.Request,
        waiting patience: Duration? = nil
    ) async throws(OperatorClientError) -> Data {
        let patience = patience ?? self.patience
        let response: HTTPExchange.Response
        do throws(HTTPExchange.Failure) {
            response = try await exchange.send(request, waiting: patience)
        } catch {
            switch error {
            case .broken(let reason, let mayHaveArrived):
                throw .unreachable(server, reason: reason, mayHaveArrived: mayHaveArrived)
            case .silent: throw .silent(server, waited: patience)
            }
        }
        guard (200..<300).contains(response.status) else {
            throw .refused(Problem(status: response.status, body: response.body))
        }
        return response.body
    }
}

/// The body of a request whose path says everything: `{}`.
struct NothingMore: Encodable {}
