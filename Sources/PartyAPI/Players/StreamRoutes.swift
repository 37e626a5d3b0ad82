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
        let after = min(try call.resumption, stored.adventure.sequence)
        // Clients come back when a stream has ended, and this tells them to let it be.
        guard stored.endedAt == nil || after < stored.adventure.sequence else { return Response(status: .noContent) }
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
    /// The sequence after which a stream begins: `Last-Event-ID` of a client who comes back, else the query's `after`.
    fileprivate var resumption: Int {
        get throws(Problem) {
            let range = 0...Int(Int32.max)
            // Judged also where it does not count: a client that misspells it should hear of it.
            let after = try number("after", in: range, default: 0)
            guard let text = header(.lastEventID) else { return after }
            guard let sequence = Int(text), range.contains(sequence) else {
                let reason = "must be the identifier of an event of this stream"
                throw .invalidFields([.init(field: HTTPField.Name.lastEventID.rawName, reason: reason)])
            }
            return sequence
        }
    }
}
