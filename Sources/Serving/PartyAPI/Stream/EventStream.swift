import GameCore
import GameStore
import Hummingbird
import Logging
import NIOCore

/// An event stream to one client: the stored events, then those from the feed, each once and in order.
///
/// The methods are concurrent because those of Hummingbird's writer are; only one of them uses the writer at a time.
struct EventStream: Sendable {
    /// The number of stored events per read.
    private static let pageSize = 1_000

    let store: GameStore
    let feed: EventFeed
    let subscriber: StreamSubscriber
    /// The sequence after which the client wants events.
    let after: Int
    let logger: Logger

    /// Writes events until the adventure is over, the client disconnects, or the server ends the stream.
    @concurrent
    func write(to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(StreamFrame.opening(retryAfter: feed.settings.retryAfter))
        var sent = after
        defer {
            feed.unsubscribe(subscriber)
            logger.info("event stream ended", metadata: ["events": "\(sent - after)"])
        }
        feed.subscribe(subscriber)
        do {
            if let end = try await writeAll(to: &writer, sent: &sent) {
                try await writer.write(StreamFrame.text(of: end))
            }
        } catch let error as StoreError {
            // As for ``StreamFrame/undecodable``.
            logger.error("the events of a stream cannot be read", metadata: ["error": "\(error)"])
        }
        try await writer.finish(nil)
    }

    /// Writes the stored events, then those from the feed.
    /// - Returns: the reason for the last event; nil if the client is disconnected, or should reconnect.
    @concurrent
    private func writeAll(to writer: inout any ResponseBodyWriter, sent: inout Int) async throws -> StreamFrame.End? {
        if try await writeStored(to: &writer, sent: &sent) { return .adventureOver }
        for await frame in subscriber.frames {
            switch frame {
            case .event(let sequence, let isLast, let text):
                // The stored events can include events of the feed.
                guard sequence > sent else { continue }
                guard sequence == sent + 1 else {
                    if try await writeStored(to: &writer, sent: &sent) { return .adventureOver }
                    continue
                }
                try await writer.write(text)
                sent = sequence
                if isLast { return .adventureOver }
            case .following(let sequence, let isOver):
                if sequence > sent, try await writeStored(to: &writer, sent: &sent) { return .adventureOver }
                // The events of an adventure that could not be played to its end are lost.
                if isOver { return .adventureOver }
            case .heartbeat:
                try await writer.write(StreamFrame.heartbeatText)
            case .end(let end):
                return end
            case .undecodable:
                return nil
            }
        }
        return nil
    }

    /// Writes the stored events after `sent`.
    /// - Returns: whether the adventure is over.
    @concurrent
    private func writeStored(to writer: inout any ResponseBodyWriter, sent: inout Int) async throws -> Bool {
        while true {
            let events = try await store.events(of: subscriber.adventureID, after: sent, limit: Self.pageSize)
            for event in events {
                guard case .event(let sequence, let isLast, let text) = StreamFrame(event) else { continue }
                try await writer.write(text)
                sent = sequence
                if isLast { return true }
            }
            if events.count < Self.pageSize { return false }
        }
    }
}
