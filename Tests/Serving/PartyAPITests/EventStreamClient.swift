import Foundation
import JSONCoding
import NIOCore
import NIOHTTP1
import NIOPosix

/// A client of one event stream, over a connection of its own.
struct EventStreamClient {
    /// A part of a stream.
    enum Item: Equatable {
        case retry(milliseconds: Int)
        case comment
        /// An event of the adventure.
        case event(id: Int, JSONValue)
        /// An event with a name, which is not an event of the adventure.
        case named(String, JSONValue)
    }

    let status: Int
    private let headers: HTTPHeaders
    /// The parts of the response.
    ///
    /// NIO's iterator is not `Sendable`, but only the task that holds the client calls `next()`.
    private nonisolated(unsafe) var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    private var text = ""
    /// The identifier of the newest event, as a browser keeps it.
    private(set) var lastEventID = ""

    /// Runs a test with an open stream; the connection is closed afterwards.
    /// - Parameters:
    ///   - path: the path of the stream.
    ///   - port: the server's port on 127.0.0.1.
    ///   - headers: the headers of the request.
    ///   - receiveBufferBytes: the size of the socket's receive buffer; nil leaves it to the kernel.
    ///   - body: the test.
    /// - Returns: the result of the test.
    /// - Throws: `NoResponseError` if the connection ends before a response, and errors of the connection and the test.
    static func open<Result: Sendable>(
        _ path: String,
        at port: Int,
        headers: [String: String],
        receiveBufferBytes: Int?,
        _ body: (inout EventStreamClient) async throws -> Result
    ) async throws -> Result {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let receiveBufferBytes {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: receiveBufferBytes)
        }
        let channel =
            try await bootstrap
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path)
            head.headers.add(name: "Host", value: "127.0.0.1:\(port)")
            for (name, value) in headers { head.headers.add(name: name, value: value) }
            try await outbound.write(.head(head))
            try await outbound.write(.end(nil))
            var parts = inbound.makeAsyncIterator()
            guard case .head(let responseHead) = try await parts.next() else { throw NoResponseError() }
            var client = EventStreamClient(
                status: Int(responseHead.status.code),
                headers: responseHead.headers,
                parts: parts
            )
            return try await body(&client)
        }
    }

    private init(
        status: Int,
        headers: HTTPHeaders,
        parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    ) {
        self.status = status
        self.headers = headers
        self.parts = parts
    }

    /// Returns the values of a header.
    func header(_ name: String) -> [String] { headers[name] }

    /// Returns the next item; nil after the regular end of the response.
    /// - Throws: ``WrongIdentifierError`` for an event without an identifier; an error of NIO if the connection closes
    ///   before the end of the response.
    mutating func next() async throws -> Item? {
        while true {
            if let end = text.range(of: "\n\n") {
                let block = text[..<end.lowerBound]
                defer { text.removeSubrange(..<end.upperBound) }
                return try item(block)
            }
            guard case .body(let buffer) = try await parts.next() else { return nil }
            text += String(buffer: buffer)
        }
    }

    /// Returns the events of the adventure up to a sequence number, by default to the end of the stream, and the reason
    /// for its end.
    mutating func events(through sequence: Int = .max) async throws -> (events: [JSONValue], end: String?) {
        var events: [JSONValue] = []
        while let item = try await next() {
            switch item {
            case .event(let id, let event):
                guard event["sequence"] == .number(Double(id)) else { throw WrongIdentifierError() }
                events.append(event)
                if id >= sequence { return (events, nil) }
            case .named("end", let data): return (events, data["reason"].text)
            case .named, .retry, .comment: break
            }
        }
        return (events, nil)
    }

    private mutating func item(_ block: Substring) throws -> Item {
        var fields: [String: String] = [:]
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            fields[String(parts[0])] = String(value)
        }
        if let retry = fields["retry"].flatMap({ Int($0) }) { return .retry(milliseconds: retry) }
        lastEventID = fields["id"] ?? lastEventID
        guard let data = fields["data"] else { return .comment }
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(data.utf8))
        if let name = fields["event"] { return .named(name, json) }
        guard let sequence = lastEventID.split(separator: "-").first, let id = Int(sequence) else {
            throw WrongIdentifierError()
        }
        return .event(id: id, json)
    }

    struct NoResponseError: Error {}
    struct WrongIdentifierError: Error {}
}

extension APIWorld {
    /// Runs a test with a player's event stream of an adventure.
    ///
    /// A small receive buffer makes a slow reader. It is slow even while it reads: the server's kernel sends into such
    /// a small window only after pauses.
    func stream<Result: Sendable>(
        _ adventureID: String,
        _ player: TestPlayer,
        lastEventID: (some CustomStringConvertible)? = Int?.none,
        receiveBufferBytes: Int? = nil,
        _ body: (inout EventStreamClient) async throws -> Result
    ) async throws -> Result {
        var headers = ["Authorization": "Bearer \(player.token)"]
        headers["Last-Event-ID"] = lastEventID.map { "\($0)" }
        return try await EventStreamClient.open(
            "/v1/adventures/\(adventureID)/stream",
            at: client.port,
            headers: headers,
            receiveBufferBytes: receiveBufferBytes,
            body
        )
    }
}
