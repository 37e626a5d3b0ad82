import GameCore
import GameEngine
import GameStore
import Hummingbird

/// Adventures, their events and the commands in them.
struct AdventureRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<APIContext>, _ gate: Gate) {
        router.post("v1/parties/:partyID/adventures", use: gate.player(start))
        router.get("v1/adventures/:adventureID", use: gate.adventureReader(show))
        router.get("v1/adventures/:adventureID/events", use: gate.adventureReader(query: EventPage.query, events))
        router.post("v1/adventures/:adventureID/commands", use: gate.player(command))
    }

    private func start(_ call: Call<PlayerID>) async throws -> Response {
        let body: NewJourney = try call.fields()
        return Response(
            try await commands.startJourney(
                of: try call.partyID,
                in: body.region,
                by: call.caller,
                at: try call.expectedVersions,
                request: try call.repeatable
            ) { stored in try Answer(status: .created, json: AdventureView(stored)) }
        )
    }

    private func show(_ call: Call<AdventureReader>) async throws -> Response {
        Response(json: AdventureView(try await adventure(of: call)))
    }

    private func events(_ call: Call<AdventureReader>) async throws -> Response {
        let stored = try await adventure(of: call)
        return try await EventPage.answer(to: call, about: stored, from: store)
    }

    private func command(_ call: Call<PlayerID>) async throws -> Response {
        let body: CommandFields = try call.fields()
        return Response(
            try await commands.run(
                body.command,
                in: try call.adventureID,
                by: call.caller,
                request: try call.repeatable
            ) { events, stored in try Answer(status: .ok, json: CommandOutcome(events, stored)) }
        )
    }

    private func adventure(of call: Call<AdventureReader>) async throws -> StoredAdventure {
        try await store.shown(call.caller.adventure, to: call.caller.playerID)
    }
}

private struct CommandOutcome: Encodable {
    let events: [EventView]
    let adventure: AdventureView

    init(_ events: [StoredEvent], _ stored: StoredAdventure) {
        self.events = events.map(EventView.init)
        adventure = AdventureView(stored)
    }
}
