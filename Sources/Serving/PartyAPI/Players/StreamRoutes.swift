import GameCore
import GameLog
import GameStore
import HTTPServing
import HTTPTypes
import Hummingbird

/// The event stream of an adventure: server-sent events.
struct StreamRoutes: Sendable {
    let store: GameStore
    let feed: EventFeed

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("v1/adventures/:adventureID/stream", use: authenticator.tokenHolder(query: ["after"], stream))
    }

    private func stream(_ request: APIRequest<TokenHolder>) async throws -> Response {
        let stored = try await store.adventure(try request.adventureID, visibleTo: request.caller.playerID)
        var resumption = try request.resumption
        // Clients reconnect when a stream ends, unless the status is 204.
        guard stored.endedAt == nil || !resumption.isLast(of: stored) else {
            return Response(status: .noContent)
        }
        // A sequence that does not exist yet would exclude all events, including the last.
        let newest = stored.adventure.sequence
        if resumption.mark == nil, resumption.sequence > newest { resumption = Resumption(sequence: newest) }
        guard let slot = feed.slots.tryAcquire(for: request.caller.playerID) else {
            throw HTTPProblem.tooManyStreams(feed.settings.maxStreamsPerPlayer)
        }
        let membership = Membership(of: request.caller.playerID, in: stored.partyID)
        return request.streamResponse(headers: Self.headers) { [resumption] channel, logger in
            EventStream(
                feed: feed,
                subscriber: StreamSubscriber(
                    to: stored.id,
                    after: resumption,
                    by: membership,
                    tokenHash: request.caller.tokenHash,
                    maxBufferedFrames: feed.settings.maxBufferedFrames,
                    slot: slot,
                    disconnect: { channel.close(promise: nil) }
                ),
                logger: logger
            )
        }
    }

    private static let headers: HTTPFields = [
        .contentType: "text/event-stream",
        .cacheControl: "no-store",
        // nginx and other proxies would buffer the events otherwise.
        .accelBuffering: "no",
    ]
}

extension APIRequest {
    /// The event after which the stream begins.
    fileprivate var resumption: Resumption {
        get throws(HTTPProblem) {
            try Resumption(after: queryText("after"), lastEventID: header(.lastEventID))
        }
    }
}
