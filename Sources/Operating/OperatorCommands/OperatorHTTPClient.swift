import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP client for one server.
///
/// Connections are kept alive for a few seconds and end with the process: closing them would delay its exit. A proxy is
/// always used as a tunnel (CONNECT), also for a server without TLS.
struct OperatorHTTPClient: Sendable {
    /// An HTTP request.
    struct Request: Sendable {
        var method = "GET"
        let url: URL
        var headers: [(name: String, value: String)] = []
        var body: Data?
    }

    /// An HTTP response with any status.
    struct Response: Sendable {
        let status: Int
        let body: Data
    }

    /// An error without a response.
    enum Failure: Error {
        /// The connection failed. If it was established before, the request may have arrived.
        case connectionFailed(reason: String, mayHaveArrived: Bool)
        /// The response did not arrive within the timeout.
        case timedOut
        /// The body of the response is larger than ``maxBodyBytes``.
        case responseTooLarge
    }

    /// The timeout for establishing a connection, far above what any network needs.
    private static let connectTimeoutSeconds: Int64 = 10
    /// The idle timeout of a connection: shorter than that of servers and proxies, so that no request is sent on a
    /// connection that is being closed.
    private static let idleTimeoutSeconds: Int64 = 4
    /// The maximum size of a response body: several times that of the largest response of the operator API, a page of
    /// 1,000 events.
    static let maxBodyBytes = 8 << 20

    private static let clients = Mutex<[ConnectionParameters: HTTPClient]>([:])

    /// The parameters that connections depend on.
    private struct ConnectionParameters: Hashable {
        let proxy: HTTPClient.Configuration.Proxy?
        let authorities: String?
    }

    private let client: HTTPClient

    /// Creates a client.
    /// - Parameters:
    ///   - proxy: the proxy to use; nil for none.
    ///   - authorities: a PEM file with certificate authorities to trust in place of the system's; nil for the
    ///     system's.
    init(through proxy: HTTPClient.Configuration.Proxy?, trusting authorities: String?) {
        client = Self.clients.withLock { clients in
            let parameters = ConnectionParameters(proxy: proxy, authorities: authorities)
            if let client = clients[parameters] { return client }
            var configuration = HTTPClient.Configuration(
                tlsConfiguration: .makeClientConfiguration(),
                // A redirect would send the token to another server.
                redirectConfiguration: .disallow,
                timeout: .init(connect: .seconds(Self.connectTimeoutSeconds)),
                connectionPool: .init(idleTimeout: .seconds(Self.idleTimeoutSeconds)),
                proxy: proxy
            )
            configuration.tlsConfiguration?.minimumTLSVersion = .tlsv12
            if let authorities { configuration.tlsConfiguration?.trustRoots = .file(authorities) }
            configuration.httpVersion = .http1Only
            // Connection errors are reported at once; the caller decides about retries.
            configuration.connectionPool.retryConnectionEstablishment = false
            let client = HTTPClient(configuration: configuration)
            clients[parameters] = client
            return client
        }
    }

    /// Sends a request and waits for the complete response.
    func send(_ request: Request, timeout: Duration) async throws(Failure) -> Response {
        let result: Result<Response, Failure> = await withTaskGroup(of: Result<Response, Failure>.self) { group in
            group.addTask {
                do {
                    return .success(try await exchange(request))
                } catch {
                    return .failure(Self.failure(for: error))
                }
            }
            group.addTask {
                // The sleep is cancelled when the response has arrived.
                try? await Task.sleep(for: timeout)
                return .failure(.timedOut)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.timedOut)
        }
        return try result.get()
    }

    private func exchange(_ request: Request) async throws -> Response {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        message.method = .init(rawValue: request.method)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        if let body = request.body { message.body = .bytes(ByteBuffer(bytes: body)) }
        // The caller's timeout covers head and body; this deadline must only be later.
        let response = try await client.execute(message, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: Self.maxBodyBytes)
        return Response(status: Int(response.status.code), body: Data(body.readableBytesView))
    }

    private static func failure(for error: any Error) -> Failure {
        switch error {
        case let error as NIOConnectionError:
            let errors = error.connectionErrors.map(\.error)
            guard let first = errors.first else { return .notConnected("unknown host") }
            return .notConnected(reason(for: errors.first { ($0 as? IOError)?.errnoCode == ECONNREFUSED } ?? first))
        case let error as HTTPClientError: return failure(for: error)
        case let error as IOError where error.errnoCode == ECONNREFUSED: return .notConnected(reason(for: error))
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            return .notConnected(reason(ofTLS: "\(error)"))
        case is NIOTooManyBytesError: return .responseTooLarge
        case is ChannelError: return .connectionFailed(reason: "the connection broke", mayHaveArrived: true)
        default: return .connectionFailed(reason: reason(for: error), mayHaveArrived: true)
        }
    }

    private static func failure(for error: HTTPClientError) -> Failure {
        switch error {
        case .connectTimeout: .notConnected("no connection within \(connectTimeoutSeconds) s")
        case .tlsHandshakeTimeout: .notConnected("the TLS handshake timed out")
        case .proxyAuthenticationRequired: .notConnected("the proxy requires a user name and a password")
        case .invalidProxyResponse: .notConnected("the proxy refuses the tunnel")
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout: .notConnected("the proxy does not respond")
        case .remoteConnectionClosed: .connectionFailed(reason: "the connection broke", mayHaveArrived: true)
        default: .connectionFailed(reason: error.shortDescription, mayHaveArrived: true)
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
            return "its certificate is not trusted; set SSL_CERT_FILE to a file with its certificate authority"
        }
        if text.contains("failedToValidateHostname") { return "its certificate is for another host" }
        if text.contains("WRONG_VERSION_NUMBER") { return "it does not use TLS; use http:// for it" }
        return "TLS failed: \(text)"
    }
}

extension OperatorHTTPClient.Failure {
    fileprivate static func notConnected(_ reason: String) -> Self {
        .connectionFailed(reason: reason, mayHaveArrived: false)
    }
}
