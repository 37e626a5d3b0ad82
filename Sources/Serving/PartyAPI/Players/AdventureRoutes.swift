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
        let body: NewAdventureBody = try request.fields()
        let (id, versions) = (try request.partyID, try request.expectedVersions)
        let idempotentRequest = try request.idempotentRequest
        let render = { @Sendable (stored: StoredAdventure) in
            EncodedResponse(status: .created, json: AdventureView(stored))
        }
        switch body {
        case .journey(let region):
            return Response(
                try await commands.startJourney(
                    of: id,
                    in: region,
                    by: request.caller,
                    at: versions,
                    request: idempotentRequest,
                    render: render
                )
            )
        case .raid(let raid):
            return Response(
                try await commands.joinRaid(
                    raid,
                    with: id,
                    by: request.caller,
                    at: versions,
                    request: idempotentRequest,
                    render: render
                )
            )
        }
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
