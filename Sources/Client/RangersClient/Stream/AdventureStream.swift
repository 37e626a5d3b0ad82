import Foundation
public import GameCore

extension PlayerClient {
    /// Returns the events of an adventure as they happen, each once and in order, until the adventure ends.
    ///
    /// ```swift
    /// for try await event in player.stream(of: adventureID) { … }
    /// ```
    ///
    /// A broken connection is reestablished, possibly to another node, and resumes after the last event. The
    /// ``RetryPolicy`` limits the attempts. If the server's database has lost the last event that this stream received in a
    /// failover, all events follow once more as they are now: an event with the sequence number 1 begins the stream anew.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - sequence: the sequence number of the last known event; 0 for none.
    /// - Returns: the stream, which connects when iteration begins.
    public func stream(of id: AdventureID, after sequence: Int = 0) -> AdventureStream {
        AdventureStream(http: http, path: "v1/adventures/\(id)/stream", hasGaps: false, after: sequence)
    }
}

/// The events of an adventure as they happen; see ``PlayerClient/stream(of:after:)`` and
/// ``RangersServer/events(watchedBy:after:)``.
public struct AdventureStream: AsyncSequence, Sendable {
    let http: Requester
    let path: String
    /// Whether the server leaves events out.
    let hasGaps: Bool
    let after: Int

    /// Creates an iterator with a connection of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator that connects and reconnects as necessary.
    public struct Iterator: AsyncIteratorProtocol {
        private let http: Requester
        private let path: String
        private let hasGaps: Bool
        /// The sequence number of the last received event.
        private var sequence: Int
        /// Its identifier; nil if all events are wanted.
        private var eventID: String?
        private var buffer: [EventResponse] = []
        private var isOver = false
        private var connection: Connection?
        private var outage = Outage()

        fileprivate init(_ stream: AdventureStream) {
            http = stream.http
            path = stream.path
            hasGaps = stream.hasGaps
            sequence = stream.after
            eventID = sequence > 0 ? "\(sequence)" : nil
        }

        /// Waits for the next event.
        /// - Returns: the event; nil when the adventure has ended.
        /// - Throws: ``RangersError``; `CancellationError`.
        public mutating func next() async throws -> EventResponse? {
            while true {
                if !buffer.isEmpty { return buffer.removeFirst() }
                if isOver { return nil }
                do {
                    try await readNext()
                } catch let error as RangersError where error.isTransient {
                    connection = nil
                    try await outage.pause(after: error, http.configuration)
                }
            }
        }

        private mutating func readNext() async throws {
            guard var connection else {
                self.connection = try await connect()
                return
            }
            guard let bytes = try await connection.nextBytes() else {
                // The stream may end without a reason. The reconnection reveals it: a former member is rejected, and a
                // stopping server is replaced by another one.
                throw RangersError.unreachable(connection.url, reason: "the stream ended")
            }
            outage = Outage()
            for message in try connection.messages(in: bytes) {
                try process(message, from: connection)
            }
            outage.retryAfter = connection.retryAfter
            self.connection = connection
        }

        private mutating func connect() async throws -> Connection? {
            let (url, response) = try await http.open(path, after: eventID)
            // 204 No Content: the adventure has ended, and all of its events are known.
            if response.status == 204 { isOver = true }
            return Connection(url: url, response)
        }

        private mutating func process(_ message: EventStreamParser.Message, from connection: Connection) throws {
            switch message.event {
            case "message":
                let event = try http.decode(EventResponse.self, from: Data(message.data.utf8), of: connection.url)
                guard event.sequence > sequence else { return }
                guard hasGaps || event.sequence == sequence + 1 else {
                    let reason = "event \(event.sequence) follows \(sequence)"
                    throw RangersError.malformedResponse(connection.url, reason: reason)
                }
                (sequence, eventID) = (event.sequence, message.id ?? "\(event.sequence)")
                buffer.append(event)
            case "reset":
                (sequence, eventID) = (0, message.id)
            case "end":
                let end = try http.decode(End.self, from: Data(message.data.utf8), of: connection.url)
                isOver = end.reason == "adventureOver"
            // An unknown message of a newer server.
            default: break
            }
        }
    }
}

/// The last message of a stream, with the reason for its end.
private struct End: Decodable {
    let reason: String
}

/// An open stream.
private struct Connection {
    let url: URL
    private var body: AsyncThrowingStream<Data, any Error>.Iterator
    private var parser = EventStreamParser()

    init(url: URL, _ response: TransportResponse) {
        self.url = url
        body = response.body.makeAsyncIterator()
    }

    var retryAfter: Duration? { parser.retryAfter }

    mutating func nextBytes() async throws -> Data? {
        do {
            let bytes = try await body.next(isolation: #isolation)
            // The stream of a cancelled task ends without an error.
            try Task.checkCancellation()
            return bytes
        } catch {
            try Task.checkCancellation()
            throw RangersError.unreachable(url, reason: error.localizedDescription)
        }
    }

    mutating func messages(in bytes: Data) throws -> [EventStreamParser.Message] {
        do {
            return try parser.parse(bytes)
        } catch {
            throw RangersError.malformedResponse(url, reason: "a message is too long")
        }
    }
}

/// The failures since the last received data.
private struct Outage {
    private var failures = 0
    private var elapsed = Duration.zero
    /// The reconnection delay that the stream asked for; nil for none.
    var retryAfter: Duration?

    /// Waits before the next attempt.
    /// - Throws: the given error if the retry policy allows no further attempt; `CancellationError`.
    mutating func pause(after error: RangersError, _ configuration: RangersConfiguration) async throws {
        failures += 1
        let delay = configuration.retryPolicy.delay(
            afterFailures: failures,
            elapsed: elapsed,
            retryAfter: error.retryAfter ?? retryAfter,
            randomBits: configuration.randomBits()
        )
        guard let delay else { throw error }
        elapsed += delay
        try await configuration.clock.sleep(for: delay)
    }
}
