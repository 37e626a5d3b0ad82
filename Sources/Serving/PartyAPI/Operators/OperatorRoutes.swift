import GameCore
import GameEngine
import GameStore
import Hummingbird
import PushCadence

/// What operators see and do.
struct OperatorRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<APIContext>, _ gate: Gate) {
        router.get("admin/v1/bosses", use: gate.viewer { _ in try CatalogueRoutes.bosses })
        router.post("admin/v1/boss-fights", use: gate.adminUnlessDryRun(startBossFight))
        router.get("admin/v1/adventures/:adventureID", use: gate.viewer(showAdventure))
        router.get("admin/v1/adventures/:adventureID/events", use: gate.viewer(query: EventPage.query, events))
        router.get("admin/v1/adventures/:adventureID/replay", use: gate.viewer(replay))
        router.post("admin/v1/adventures/:adventureID/end", use: gate.adminUnlessDryRun(endAdventure))
        router.get("admin/v1/adventures/:adventureID/activities", use: gate.viewer(activities))
        router.get("admin/v1/activities/:activityID", use: gate.viewer(showActivity))
        router.get("admin/v1/activities/:activityID/decisions", use: gate.viewer(decisions))
    }

    private func startBossFight(_ call: Call<Operator>) async throws -> Response {
        let body: NewBossFight = try call.fields()
        let request = try call.repeatable
        let partyID = try await partyID(of: body.party)
        if try call.flag("dryRun") {
            return try await rehearsal(of: .bossFight(partyID, body.boss), call)
        }
        return Response(
            try await commands.carryOut(.bossFight(partyID, body.boss), by: call.author, request: request) { outcome in
                try Answer(status: .created, json: AdventureView(outcome.itsAdventure))
            }
        )
    }

    private func showAdventure(_ call: Call<Operator>) async throws -> Response {
        Response(json: AdventureView(try await adventure(of: call)))
    }

    private func events(_ call: Call<Operator>) async throws -> Response {
        let stored = try await adventure(of: call)
        return try await EventPage.answer(to: call, about: stored, from: store)
    }

    private func replay(_ call: Call<Operator>) async throws -> Response {
        let id = try call.adventureID
        do {
            guard let record = try await store.record(of: id) else { throw CommandError.unknownAdventure }
            if let moment = record.detailsRemovedAt { throw Problem.detailsRemoved(at: moment) }
            return try Response(json: try ReplayView(of: record, id))
        } catch StoreError.undecodable(let table, let row, let reason) {
            throw Problem(
                kind: .unreadableRecord,
                detail: "Row \(row) of \(table): \(reason)"
            )
        }
    }

    private func endAdventure(_ call: Call<Operator>) async throws -> Response {
        let id = try call.adventureID
        let request = try call.repeatable
        if try call.flag("dryRun") { return try await rehearsal(of: .end(id), call) }
        return Response(
            try await commands.carryOut(.end(id), by: call.author, request: request) { outcome in
                try Answer(status: .ok, json: AdventureView(outcome.itsAdventure))
            }
        )
    }

    /// What a wish would come to; nothing is changed.
    private func rehearsal(of wish: OperatorWish, _ call: Call<Operator>) async throws -> Response {
        try Response(json: ChangeView(try await commands.rehearse(wish, by: call.author)))
    }

    private func activities(_ call: Call<Operator>) async throws -> Response {
        let stored = try await adventure(of: call)
        let activities = try await store.activities(of: stored.id)
        return try Response(json: ["activities": activities.map(ActivityView.init)])
    }

    private func showActivity(_ call: Call<Operator>) async throws -> Response {
        try Response(json: try await activity(of: call).view)
    }

    private func decisions(_ call: Call<Operator>) async throws -> Response {
        let (view, log) = try await activity(of: call)
        let asked = try await store.newestAskedPush(for: view.activity.activityID, of: view.activity.adventureID)
        let hasDispatcher = try await store.hasDispatcher(view.activity.adventureID.shard)
        return try Response(
            json: DecisionsView(
                of: view,
                log.decisions.map(DecisionView.init),
                asked: asked,
                hasDispatcher: hasDispatcher
            )
        )
    }

    /// Of several activities of one name, which only a broken app makes, the one that was registered last.
    private func activity(of call: Call<Operator>) async throws -> (view: ActivityDetailView, log: DecisionLog) {
        guard
            let id = call.activityID,
            let activity = try await store.activities(named: id).first,
            let stored = try await store.adventure(activity.adventureID)
        else { throw CommandError.unknownActivity }
        let party = try await store.party(stored.partyID)
        let entries = try await store.decisions(for: activity.id, of: activity.adventureID)
        let log = entries.map { DecisionLog(encoded: $0) } ?? DecisionLog()
        return (ActivityDetailView(activity, of: stored, party: party, lastDecision: log.decisions.last), log)
    }

    private func adventure(of call: Call<Operator>) async throws -> StoredAdventure {
        guard let stored = try await store.adventure(try call.adventureID) else { throw CommandError.unknownAdventure }
        return stored
    }

    private func partyID(of reference: NewBossFight.PartyReference) async throws -> PartyID {
        switch reference {
        case .id(let id):
            return id
        case .inviteCode(let text):
            guard let id = try await Self.partyID(ofTyped: text, in: store) else {
                throw CommandError.party(.unknownInviteCode)
            }
            return id
        }
    }

    /// The party that an invite code leads to, as a person typed it.
    static func partyID(ofTyped text: String, in store: GameStore) async throws -> PartyID? {
        // A code leads to a party only as long as the party names it.
        guard
            let code = InviteCode(typed: text),
            let id = try await store.partyID(of: code),
            try await store.party(id)?.inviteCode == code
        else {
            return nil
        }
        return id
    }
}

extension OperatorOutcome {
    /// Of a wish that is about one.
    fileprivate var itsAdventure: StoredAdventure {
        guard let adventure else { preconditionFailure("a fight that has begun, and what was ended, is an adventure") }
        return adventure
    }
}
