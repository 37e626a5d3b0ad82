import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Requests to one server, and its answers.
///
/// Connections are kept for the next request, for a moment, and end with the process: to close them in good order would
/// keep people waiting. A proxy is always asked for a tunnel (CONNECT), also to a server without TLS.
struct HTTPExchange: Sendable {
    /// What is sent.
    struct Request: Sendable {
        var method = "GET"
        let url: URL
        var headers: [(name: String, value: String)] = []
        var body: Data?
    }

    /// What comes back, whatever its status.
    struct Response: Sendable {
        let status: Int
        let body: Data
    }

    /// Why there is no answer.
    enum Failure: Error {
        /// There is none, for a reason in half a sentence; unless nobody took the connection the request may have arrived.
        case broken(reason: String, mayHaveArrived: Bool)
        /// It takes longer than anybody wants to wait.
        case silent
    }

    /// How long a connection may take to come about: far more than any network needs.
    private static let connectSeconds: Int64 = 10
    /// For how long a connection is kept without a request: less than any server or proxy keeps it, so that none is used
    /// that the other side is just closing.
    private static let idleSeconds: Int64 = 4
    /// The largest answer: the hashes of an audit log of ten million entries.
    private static let mostBytes = 1 << 30

    private static let clients = Mutex<[Way: HTTPClient]>([:])

    /// What the requests go through.
    private struct Way: Hashable {
        let proxy: HTTPClient.Configuration.Proxy?
        let authorities: String?
    }

    private let client: HTTPClient

    /// The way to a server.
    /// - Parameters:
    ///   - proxy: what stands before it, if anything.
    ///   - authorities: a PEM file of the authorities to trust in place of the system's.
    init(through proxy: HTTPClient.Configuration.Proxy?, trusting authorities: String?) {
        client = Self.clients.withLock { clients in
            let way = Way(proxy: proxy, authorities: authorities)
            if let client = clients[way] { return client }
            var configuration = HTTPClient.Configuration(
                tlsConfiguration: .makeClientConfiguration(),
                // The token is for the server that was named, and for no other.
                redirectConfiguration: .disallow,
                timeout: .init(connect: .seconds(Self.connectSeconds)),
                connectionPool: .init(idleTimeout: .seconds(Self.idleSeconds)),
                proxy: proxy
            )
            configuration.tlsConfiguration?.minimumTLSVersion = .tlsv12
            if let authorities { configuration.tlsConfiguration?.trustRoots = .file(authorities) }
            configuration.httpVersion = .http1Only
            // Whoever waits is told at once that nobody is there, and tries again if that is worth it.
            configuration.connectionPool.retryConnectionEstablishment = false
            let client = HTTPClient(configuration: configuration)
            clients[way] = client
            return client
        }
    }

    /// Sends a request and waits for all of the answer.
    func send(_ request: Request, waiting patience: Duration) async throws(Failure) -> Response {
        let result: Result<Response, Failure> = await withTaskGroup(of: Result<Response, Failure>.self) { group in
            group.addTask {
                do {
                    return .success(try await exchange(request))
                } catch {
                    return .failure(Self.failure(for: error))
                }
            }
            group.addTask {
                // Ends early by cancellation only: the answer has come.
                try? await Task.sleep(for: patience)
                return .failure(.silent)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.silent)
        }
        return try result.get()
    }

    private func exchange(_ request: Request) async throws -> Response {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        message.method = .init(rawValue: request.method)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        if let body = request.body { message.body = .bytes(ByteBuffer(bytes: body)) }
        // Who waits has a clock that also sees to the body; this one need only be later.
        let response = try await client.execute(message, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: Self.mostBytes)
        return Response(status: Int(response.status.code), body: Data(body.readableBytesView))
    }

    private static func failure(for error: any Error) -> Failure {
        switch error {
        case let error as NIOConnectionError:
            let refusals = error.connectionErrors.map(\.error)
            guard let first = refusals.first else { return .notConnected("there is no such host") }
            return .notConnected(reason(for: refusals.first { ($0 as? IOError)?.errnoCode == ECONNREFUSED } ?? first))
        case let error as HTTPClientError: return failure(for: error)
        case let error as IOError where error.errnoCode == ECONNREFUSED: return .notConnected(reason(for: error))
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            return .notConnected(reason(ofTLS: "\(error)"))
        case is ChannelError: return .broken(reason: "the connection broke", mayHaveArrived: true)
        default: return .broken(reason: reason(for: error), mayHaveArrived: true)
        }
    }

    private static func failure(for error: HTTPClientError) -> Failure {
        switch error {
        case .connectTimeout: .notConnected("there was no connection within \(connectSeconds) s")
        case .tlsHandshakeTimeout: .notConnected("it does not go on with TLS")
        case .proxyAuthenticationRequired: .notConnected("the proxy asks for a name and a password")
        case .invalidProxyResponse: .notConnected("the proxy opens no tunnel there")
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout: .notConnected("the proxy does not answer")
        case .remoteConnectionClosed: .broken(reason: "the connection broke", mayHaveArrived: true)
        default: .broken(reason: error.shortDescription, mayHaveArrived: true)
        }
    }

    private static func reason(for error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case ECONNREFUSED: "the connection was refused"
        case ECONNRESET, EPIPE: "the connection broke"
        default: String(cString: strerror(error.errnoCode))
        }
    }

    private static func reason(ofTLS text: String) -> String {
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return "its certificate is not trusted; SSL_CERT_FILE names a file with other authorities"
        }
        if text.contains("failedToValidateHostname") { return "its certificate is for another host" }
        if text.contains("WRONG_VERSION_NUMBER") { return "it does not speak TLS; http:// is for that" }
        return "TLS failed: \(text)"
    }
}

extension HTTPExchange.Failure {
    fileprivate static func notConnected(_ reason: String) -> Self { .broken(reason: reason, mayHaveArrived: false) }
}
