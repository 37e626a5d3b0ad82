import Foundation
import HTTP2Transport

/// A request as it reached one of APNs' doors, each part turned to text once.
struct ReceivedRequest: Sendable {
    /// What is kept of headers for people to read has a bound, whoever sent them.
    private static let mostHeadersToBeRead = 10
    private static let mostNameBytesToBeRead = 40
    private static let mostValueBytesToBeRead = 200

    let door: Door
    let method: String
    let path: String
    /// In their order, duplicates included.
    let headers: [HTTP2Header]
    let body: [UInt8]
    /// Whether it is to publish to a channel, to judge by its path.
    let isBroadcast: Bool
    /// The header that names the request, and its answer.
    let identifierName: String
    /// The sender's name of it; nil when there is none, or one that is no UUID.
    let identifier: String?

    init(door: Door, method: String, path: String, headers: [HTTP2Header], body: [UInt8]) {
        self.door = door
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        let isBroadcast = path.hasPrefix("/4/broadcasts/")
        let identifierName =
            switch door {
            case .pushes: isBroadcast ? "apns-request-id" : "apns-id"
            case .channels: "apns-request-id"
            }
        let identifier = headers.first { $0.name == identifierName }?.value
        self.isBroadcast = isBroadcast
        self.identifierName = identifierName
        self.identifier = identifier.flatMap { UUID(uuidString: $0) == nil ? nil : $0 }
    }

    /// The value of the first header of that name.
    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    /// Whether one of those headers stands there more than once.
    func repeats(_ names: [String]) -> Bool {
        names.contains { name in headers.count { $0.name == name } > 1 }
    }

    /// Refuses an identifier that is no UUID; there may be none.
    func checkIdentifier() throws(APNsRefusal) {
        guard self[identifierName] == nil || identifier != nil else { throw .badMessageID }
    }

    /// What people may read of the headers: not the sender's token, and nothing without a bound.
    var headersToBeRead: [PushLog.Header] {
        headers.lazy.filter { $0.name.hasPrefix("apns-") }.prefix(Self.mostHeadersToBeRead).map { header in
            PushLog.Header(
                name: Self.cut(header.name, at: Self.mostNameBytesToBeRead),
                value: Self.cut(header.value, at: Self.mostValueBytesToBeRead)
            )
        }
    }

    /// In bytes, since a single character may have any number of them.
    private static func cut(_ text: String, at byteCount: Int) -> String {
        text.utf8.count <= byteCount ? text : String(decoding: text.utf8.prefix(byteCount), as: UTF8.self)
    }
}

extension ReceivedRequest {
    init(_ request: HTTP2Request, at door: Door) {
        self.init(
            door: door,
            method: request.method,
            path: request.path,
            headers: Array(request.headers),
            body: request.body
        )
    }
}
