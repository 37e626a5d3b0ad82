import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import JSONCoding

/// The routes of adventures, their events and commands.
struct AdventureRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.post("v1/parties/:partyID/adventures", use: authenticator.player(start))
        router.get("v1/adventures/:adventureID", use: authenticator.adventureViewer(show))
        router.get(
            "v1/adventures/:adventureID/events",
            use: authenticator.adventureViewer(query: EventPageView.query, events)
        )
        router.post("v1/adventures/:adventureID/commands", use: authenticator.player(command))
    }

    private func start(_ request: APIRequest<PlayerID>) async throws -> Response {
        let body: NewJourneyBody = try request.fields()
        return Response(
            try await commands.startJourney(
                of: try request.partyID,
                in: body.region,
                by: request.caller,
                at: try request.expectedVersions,
                request: try request.idempotentRequest
            ) { stored in EncodedResponse(status: .created, json: AdventureView(stored)) }
        )
    }

    private func show(_ request: APIRequest<AdventureViewer>) async throws -> Response {
        Response(json: AdventureView(try await adventure(of: request)))
    }

    private func events(_ request: APIRequest<AdventureViewer>) async throws -> Response {
        let stored = try await adventure(of: request)
        return try await EventPageView.response(to: request, for: stored, from: store)
    }

    private func command(_ request: APIRequest<PlayerID>) async throws -> Response {
        let body: CommandBody = try request.fields()
        return Response(
            try await commands.perform(
                body.command,
                in: try request.adventureID,
                by: request.caller,
                request: try request.idempotentRequest
            ) { events, stored in EncodedResponse(status: .ok, json: CommandView(events: events, stored: stored)) }
        )
    }

    private func adventure(of request: APIRequest<AdventureViewer>) async throws -> StoredAdventure {
        // Rejects a malformed identifier.
        _ = try request.adventureID
        return try await store.requireVisible(request.caller.adventure, to: request.caller.playerID)
    }
}

/// The response to a command: the events that it caused, and the adventure after them.
private struct CommandView: JSONWritable {
    let events: [StoredEvent]
    let stored: StoredAdventure

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("events", events.map(EventView.init))
            json.member("adventure", AdventureView(stored))
        }
    }
}
