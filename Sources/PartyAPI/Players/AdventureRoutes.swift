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

/// The body of `POST …/adventures`: `{kind: "journey", region}`.
private struct NewJourney: RequestFields {
    let region: RegionID

    init?(_ fields: inout Fields) {
        // Boss fights are set on parties by operators.
        let kind = fields.required("kind", FieldReader<String>.one(of: ["journey"]) { $0 == "journey" ? $0 : nil })
        let region = fields.required("region", FieldReader<RegionID>.entry(of: RegionCatalogue.self))
        guard kind != nil, let region else { return nil }
        self.region = region
    }
}

/// The body of `POST …/commands`: `{type, target?, policy?}`.
private struct CommandFields: RequestFields {
    let command: Command

    init?(_ fields: inout Fields) {
        let seat = FieldReader<Int>.integer(in: 0...Party.largestCapacity - 1)
        guard let kind = fields.required("type", FieldReader<Command.Kind>.oneOfItsCases) else {
            // Which of these belong to the command cannot be said; they are judged for themselves.
            _ = fields.optional("target", seat)
            _ = fields.optional("policy", FieldReader<TurnPolicy>.oneOfItsCases)
            return nil
        }
        switch kind {
        case .potion:
            command = .potion(target: fields.optional("target", seat).map(Seat.init(rawValue:)))
        case .revive:
            guard let target = fields.required("target", seat) else { return nil }
            command = .revive(target: Seat(rawValue: target))
        case .policy:
            guard let policy = fields.required("policy", FieldReader<TurnPolicy>.oneOfItsCases) else { return nil }
            command = .policy(policy)
        case .attack: command = .attack
        case .guard: command = .guardUp
        case .special: command = .special
        case .flee: command = .flee
        case .pass: command = .pass
        }
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
