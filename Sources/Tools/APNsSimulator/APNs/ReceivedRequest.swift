import Encodings
import Foundation
import HTTP2Transport

/// A request to one of APNs' endpoints, with each part converted to text once.
struct ReceivedRequest: Sendable {
    /// The limits for the headers that the push log keeps.
    private static let maxLoggedHeaders = 10
    private static let maxLoggedNameBytes = 40
    private static let maxLoggedValueBytes = 200

    let endpoint: Endpoint
    let method: String
    let path: String
    /// The headers in order, including duplicates.
    let headers: [HTTP2Header]
    let body: [UInt8]
    /// Whether the path is that of a broadcast.
    let isBroadcast: Bool
    /// The header with the identifier of the request, and of its response.
    let identifierName: String
    /// The sender's identifier; nil when it is missing or not a UUID.
    let identifier: String?

    init(endpoint: Endpoint, method: String, path: String, headers: [HTTP2Header], body: [UInt8]) {
        self.endpoint = endpoint
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        let isBroadcast = path.hasPrefix("/4/broadcasts/")
        let identifierName =
            switch endpoint {
            case .pushes: isBroadcast ? "apns-request-id" : "apns-id"
            case .channels: "apns-request-id"
            }
        let identifier = headers.first { $0.name == identifierName }?.value
        self.isBroadcast = isBroadcast
        self.identifierName = identifierName
        self.identifier = identifier.flatMap { UUID(text: $0) == nil ? nil : $0 }
    }

    /// The value of the first header with that name.
    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    /// Whether one of these headers appears more than once.
    func repeats(_ names: [String]) -> Bool {
        names.contains { name in headers.count { $0.name == name } > 1 }
    }

    /// Rejects an identifier that is not a UUID; a missing one is valid.
    func checkIdentifier() throws(RejectionReason) {
        guard self[identifierName] == nil || identifier != nil else { throw .badMessageID }
    }

    /// The headers for the push log: without the provider token, and truncated.
    var loggedHeaders: [PushLog.Header] {
        headers.lazy.filter { $0.name.hasPrefix("apns-") }.prefix(Self.maxLoggedHeaders).map { header in
            PushLog.Header(
                name: Self.cut(header.name, at: Self.maxLoggedNameBytes),
                value: Self.cut(header.value, at: Self.maxLoggedValueBytes)
            )
        }
    }

    /// Truncates by bytes, since one character can have any number of them.
    private static func cut(_ text: String, at byteCount: Int) -> String {
        text.utf8.count <= byteCount ? text : String(decoding: text.utf8.prefix(byteCount), as: UTF8.self)
    }
}

extension ReceivedRequest {
    init(_ request: HTTP2Request, at endpoint: Endpoint) {
        self.init(
            endpoint: endpoint,
            method: request.method,
            path: request.path,
            headers: Array(request.headers),
            body: request.body
        )
    }
}
