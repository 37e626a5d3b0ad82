import GameCore
import GameStore
import Hummingbird
import Logging
import NIOCore

/// One answer to `GET …/stream`: what the adventure has, then what the feed brings, each event once and in order.
///
/// Its methods are concurrent since those of Hummingbird's writer are: the writer stays with one of them at a time.
struct EventStream: Sendable {
    /// How many events one read of what the adventure has brings.
    private static let page = 200

    let store: GameStore
    let feed: EventFeed
    let follower: Follower
    /// The sequence after which the client wants events.
    let after: Int
    let logger: Logger

    /// Writes until the adventure is over, the client has gone, or the stream must end.
    @concurrent
    func write(to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(StreamFrame.opening(retryAfter: feed.settings.retryAfter))
        var sent = after
        defer {
            feed.unfollow(follower)
            logger.info("stream ended", metadata: ["events": "\(sent - after)"])
        }
        try await feed.follow(follower)
        if let end = try await writeAll(to: &writer, sent: &sent) {
            try await writer.write(StreamFrame.text(of: end))
        }
        try await writer.finish(nil)
    }

    /// - Returns: what the last event is to say; nil when there is nobody to hear it.
    @concurrent
    private func writeAll(to writer: inout any ResponseBodyWriter, sent: inout Int) async throws -> StreamFrame.End? {
        if try await catchUp(to: &writer, sent: &sent) { return .adventureOver }
        for await frame in follower.frames {
            switch frame {
            case .event(let sequence, let isLast, let text):
                // Sent already: it was there when the stream began.
                guard sequence > sent else { continue }
                guard sequence == sent + 1 else {
                    if try await catchUp(to: &writer, sent: &sent) { return .adventureOver }
                    continue
                }
                try await writer.write(text)
                sent = sequence
                if isLast { return .adventureOver }
            case .heartbeat:
                try await writer.write(StreamFrame.heartbeatText)
            case .end(let end):
                return end
            case .broken:
                return nil
            }
        }
        return nil
    }

    /// Writes what the store has and was not sent.
    /// - Returns: whether the adventure is over.
    @concurrent
    private func catchUp(to writer: inout any ResponseBodyWriter, sent: inout Int) async throws -> Bool {
        while true {
            let events = try await store.events(of: follower.adventureID, after: sent, limit: Self.page)
            for event in events {
                guard case .event(let sequence, let isLast, let text) = try StreamFrame(event) else { continue }
                try await writer.write(text)
                sent = sequence
                if isLast { return true }
            }
            if events.count < Self.page { return false }
        }
    }
}
