public import Foundation

/// What carries requests to the server: ``URLSessionTransport``, unless an app brings its own.
///
/// A transport sends each request once and follows no redirect: what is tried again, and with which key, is for the
/// client to decide, and a token goes to nobody but the server that it is for.
public protocol RangersTransport: Sendable {
    /// Sends a request.
    /// - Returns: the answer as soon as its head is there, whatever its status; its body follows.
    /// - Throws: an error when no answer comes. Whether the request arrived is then unknown.
    func send(_ request: TransportRequest) async throws -> TransportAnswer
}

/// A request as it is sent.
public struct TransportRequest: Sendable {
    /// `GET`, `PUT` and the like.
    public let method: String
    /// What is asked, and where.
    public let url: URL
    /// By name; the token is among them, so that they are not to be logged.
    public var headers: [String: String]
    /// Nil for none.
    public let body: Data?
    /// How long nothing may be heard before the connection counts as lost.
    public var longestSilence: Duration

    /// A request for a transport.
    package init(method: String, url: URL, headers: [String: String], body: Data?, longestSilence: Duration) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.longestSilence = longestSilence
    }
}

/// An answer whose head has arrived.
public struct TransportAnswer: Sendable {
    /// The HTTP status.
    public let status: Int
    private let headers: [String: String]
    /// The bytes as they arrive.
    ///
    /// It ends with an error when the connection ends before the answer does. Whoever stops reading ends the request.
    public let body: AsyncThrowingStream<Data, any Error>

    /// An answer with its headers by name, in any case.
    public init(status: Int, headers: [String: String], body: AsyncThrowingStream<Data, any Error>) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }, uniquingKeysWith: { "\($0), \($1)" })
        self.body = body
    }

    /// The value of a header; names are found in any case.
    public func header(_ name: String) -> String? { headers[name.lowercased()] }
}
