import GameCore
import GameStore
import HTTPTypes
import Hummingbird

/// The events of an adventure as they happen: Server-Sent Events.
struct StreamRoutes: Sendable {
    let store: GameStore
    let feed: EventFeed

    func add(to router: Router<APIContext>, _ gate: Gate) {
        router.get("v1/adventures/:adventureID/stream", use: gate.tokenHolder(query: ["after"], stream))
    }

    private func stream(_ call: Call<TokenHolder>) async throws -> Response {
        let stored = try await store.adventure(try call.adventureID, visibleTo: call.caller.playerID)
        // What has not happened yet nobody has seen: after it nothing would come, not even the end.
        let after = min(try call.resumption.sequence, stored.adventure.sequence)
        // Clients come back when a stream has ended, and this tells them to let it be.
        guard stored.endedAt == nil || after < stored.adventure.sequence else { return Response(status: .noContent) }
        try stored.checkDetails()
        guard let place = feed.places.take(for: call.caller.playerID) else {
            throw Problem.tooManyStreams(feed.settings.mostOfPlayer)
        }
        let membership = Membership(of: call.caller.playerID, in: stored.partyID)
        return call.answer(headers: Self.headers) { channel, logger in
            EventStream(
                store: store,
                feed: feed,
                follower: Follower(
                    of: stored.id,
                    by: membership,
                    tokenHash: call.caller.tokenHash,
                    mostWaiting: feed.settings.mostWaiting,
                    place: place,
                    disconnect: { channel.close(promise: nil) }
                ),
                after: after,
                logger: logger
            )
        }
    }

    private static let headers: HTTPFields = [
        .contentType: "text/event-stream",
        .cacheControl: "no-store",
        // nginx and others would hold events back until they have more of them.
        .accelBuffering: "no",
    ]
}

extension Call {
    /// Where the stream begins.
    fileprivate var resumption: Resumption {
        get throws(Problem) {
            try Resumption(after: queryText("after"), lastEventID: header(.lastEventID))
        }
    }
}
