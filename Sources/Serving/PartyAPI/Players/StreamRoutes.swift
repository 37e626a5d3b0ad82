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
        let resumption = try Resumption(of: request)
        // Clients reconnect when a stream ends, unless the status is 204.
        guard stored.endedAt == nil || !resumption.isLast(of: stored) else {
            return Response(status: .noContent)
        }
        guard let slot = feed.slots.tryAcquire(for: .player(request.caller.playerID)) else {
            throw HTTPProblem.tooManyStreams(feed.settings.maxStreamsPerPlayer)
        }
        let membership = Membership(of: request.caller.playerID, in: stored.partyID)
        return feed.response(
            to: request,
            of: stored,
            after: resumption,
            for: .member(membership, tokenHash: request.caller.tokenHash),
            holding: [slot]
        )
    }
}

extension EventFeed {
    /// Returns the response with the stream of an adventure.
    /// - Parameters:
    ///   - request: the request.
    ///   - stored: the adventure.
    ///   - resumption: the event after which the client wants events.
    ///   - access: what entitles the client to the events.
    ///   - slots: what the stream holds as long as it is open.
    /// - Returns: the response.
    func response<Caller>(
        to request: APIRequest<Caller>,
        of stored: StoredAdventure,
        after resumption: Resumption,
        for access: StreamSubscriber.Access,
        holding slots: [StreamSlots.Slot]
    ) -> Response {
        // A sequence that does not exist yet would exclude all events, including the last.
        let newest = stored.adventure.sequence
        let isBeyond = resumption.mark == nil && resumption.sequence > newest
        return request.streamResponse(headers: Self.headers) { channel, logger in
            EventStream(
                feed: self,
                subscriber: StreamSubscriber(
                    to: stored.id,
                    after: isBeyond ? Resumption(sequence: newest) : resumption,
                    for: access,
                    maxBufferedFrames: self.settings.maxBufferedFrames,
                    holding: slots,
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

extension Resumption {
    /// Reads the event after which the stream of a request begins.
    init<Caller>(of request: APIRequest<Caller>) throws(HTTPProblem) {
        try self.init(after: request.queryText("after"), lastEventID: request.header(.lastEventID))
    }
}
