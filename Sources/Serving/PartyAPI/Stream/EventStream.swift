import GameCore
import Hummingbird
import Logging
import NIOCore

/// An event stream to one client: the events of its adventure from the feed, each once and in order.
///
/// The methods are concurrent because those of Hummingbird's writer are; only one of them uses the writer at a time.
struct EventStream: Sendable {
    let feed: EventFeed
    let subscriber: StreamSubscriber
    let logger: Logger

    /// Writes events until the adventure is over, the client disconnects, or the server ends the stream.
    @concurrent
    func write(to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(StreamFrame.opening(retryAfter: feed.settings.retryAfter))
        var (sent, count) = (subscriber.resumption.sequence, 0)
        defer {
            feed.unsubscribe(subscriber)
            logger.info("event stream ended", metadata: ["events": "\(count)"])
        }
        feed.subscribe(subscriber)
        if let end = try await writeFrames(to: &writer, sent: &sent, count: &count) {
            try await writer.write(StreamFrame.text(of: end))
        }
        try await writer.finish(nil)
    }

    /// Writes the frames of the feed.
    /// - Returns: the reason for the end; nil if the client is disconnected, or should reconnect.
    @concurrent
    private func writeFrames(
        to writer: inout any ResponseBodyWriter,
        sent: inout Int,
        count: inout Int
    ) async throws -> StreamFrame.End? {
        for await frame in subscriber.frames {
            switch frame {
            case .events(let events, let isLast):
                for event in events where event.sequence > sent {
                    sent = event.sequence
                    guard event.isPublic || !subscriber.access.isSpectator else { continue }
                    try await writer.write(event.text)
                    count += 1
                }
                if isLast { return .adventureOver }
            case .reset:
                try await writer.write(StreamFrame.resetText)
                sent = 0
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
}
