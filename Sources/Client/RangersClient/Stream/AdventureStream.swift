import Foundation
public import GameCore

extension PlayerClient {
    /// The events of an adventure as they happen, each once and in order, until it is over.
    ///
    /// ```swift
    /// for try await event in player.stream(of: adventureID) { … }
    /// ```
    ///
    /// Where the connection breaks it is made again, to whichever node answers, and goes on after the last event; how
    /// long that is tried is up to the ``RetryPolicy``.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - sequence: the last event that is known; 0 before the first.
    /// - Returns: the stream, which asks the server for nothing until it is iterated over.
    public func stream(of id: AdventureID, after sequence: Int = 0) -> AdventureStream {
        AdventureStream(http: http, id: id, after: sequence)
    }
}

/// The events of an adventure as they happen; see ``PlayerClient/stream(of:after:)``.
public struct AdventureStream: AsyncSequence, Sendable {
    fileprivate let http: Requester
    fileprivate let id: AdventureID
    fileprivate let after: Int

    /// A stream of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the stream, and connects where it is not connected.
    public struct Iterator: AsyncIteratorProtocol {
        private let http: Requester
        private let path: String
        /// The last event that was given out or waits to be.
        private var sequence: Int
        private var waiting: [AdventureEvent] = []
        private var isOver = false
        private var connection: Connection?
        private var loss = Loss()

        fileprivate init(_ stream: AdventureStream) {
            http = stream.http
            path = "v1/adventures/\(stream.id)/stream"
            sequence = stream.after
        }

        /// The next event; nil when the adventure is over.
        /// - Throws: ``RangersError``; `CancellationError`.
        public mutating func next() async throws -> AdventureEvent? {
            while true {
                if !waiting.isEmpty { return waiting.removeFirst() }
                if isOver { return nil }
                do {
                    try await readOn()
                } catch let error as RangersError where error.mayPass {
                    connection = nil
                    try await loss.pause(after: error, http.configuration)
                }
            }
        }

        private mutating func readOn() async throws {
            guard var connection else {
                self.connection = try await connect()
                return
            }
            guard let bytes = try await connection.nextBytes() else {
                // Ended without a word, or for a reason that asking again makes clear: who is no member any more is
                // refused, and who met a server that stops meets another.
                throw RangersError.unreachable(connection.url, reason: "the stream ended")
            }
            loss = Loss()
            for message in try connection.messages(in: bytes) {
                try take(message, from: connection)
            }
            loss.retryAfter = connection.retryAfter
            self.connection = connection
        }

        private mutating func connect() async throws -> Connection? {
            let (url, answer) = try await http.open(path, after: sequence)
            // No content: the adventure is over, and every event of it is known.
            if answer.status == 204 { isOver = true }
            return Connection(url: url, answer)
        }

        private mutating func take(_ message: EventStreamParser.Message, from connection: Connection) throws {
            switch message.event {
            case "message":
                let event = try http.decode(AdventureEvent.self, from: Data(message.data.utf8), of: connection.url)
                guard event.sequence > sequence else { return }
                guard event.sequence == sequence + 1 else {
                    let reason = "event \(event.sequence) follows \(sequence)"
                    throw RangersError.notUnderstood(connection.url, reason: reason)
                }
                sequence = event.sequence
                waiting.append(event)
            case "end":
                let end = try http.decode(End.self, from: Data(message.data.utf8), of: connection.url)
                isOver = end.reason == "adventureOver"
            // What a newer server says besides events.
            default: break
            }
        }
    }
}

/// Why a stream ends, as its last message says.
private struct End: Decodable {
    let reason: String
}

/// An open stream.
private struct Connection {
    let url: URL
    private var body: AsyncThrowingStream<Data, any Error>.Iterator
    private var parser = EventStreamParser()

    init(url: URL, _ answer: TransportAnswer) {
        self.url = url
        body = answer.body.makeAsyncIterator()
    }

    var retryAfter: Duration? { parser.retryAfter }

    mutating func nextBytes() async throws -> Data? {
        do {
            let bytes = try await body.next(isolation: #isolation)
            // A stream ends without an error for who has been cancelled.
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
            throw RangersError.notUnderstood(url, reason: "a message is too long")
        }
    }
}

/// How long the server has not been heard of.
private struct Loss {
    private var failures = 0
    private var lasted = Duration.zero
    /// What the stream asked for.
    var retryAfter: Duration?

    /// Waits before the next try.
    /// - Throws: the failure, when there is no more patience.
    mutating func pause(after error: RangersError, _ configuration: RangersConfiguration) async throws {
        failures += 1
        let pause = configuration.retryPolicy.pause(
            afterFailures: failures,
            elapsed: lasted,
            retryAfter: error.retryAfter ?? retryAfter,
            randomBits: configuration.randomBits()
        )
        guard let pause else { throw error }
        lasted += pause
        try await configuration.clock.sleep(for: pause)
    }
}
