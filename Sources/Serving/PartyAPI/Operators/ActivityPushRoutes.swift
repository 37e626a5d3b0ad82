import Encodings
import GameCore
import GameEngine
import GameStore
import Hummingbird
import LiveActivityContent
import PushCadence
import PushRules
import ServiceRuntime

/// `POST /admin/v1/activities/{activityID}/pushes`: the newest state, or the end, for one activity, sent by whoever sends it
/// all else; and `GET /admin/v1/activities/{activityID}/payload`: what such a push would carry.
struct ActivityPushRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands
    /// The dispatcher's, whose pushes these are.
    let cadence: CadencePolicy
    let runtime: Runtime

    func add(to router: Router<APIContext>, _ gate: Gate) {
        router.post("admin/v1/activities/:activityID/pushes", use: gate.admin(query: ["event"], push))
        router.get("admin/v1/activities/:activityID/payload", use: gate.viewer(query: ["event"], payload))
    }

    private func push(_ call: Call<Operator>) async throws -> Response {
        struct Asked: Encodable {
            let activityID: ActivityID
            let position: Int64
        }
        let event = try call.askedEvent
        guard let id = call.activityID else { throw CommandError.unknownActivity }
        return Response(
            try await commands.push(event, to: id, by: call.author, request: try call.repeatable) { position in
                try Answer(status: .accepted, json: Asked(activityID: id, position: position))
            }
        )
    }

    private func payload(_ call: Call<Operator>) async throws -> Response {
        let event = try call.askedEvent
        guard
            let id = call.activityID,
            let activity = try await store.activities(named: id).first,
            let stored = try await store.adventure(activity.adventureID)
        else { throw CommandError.unknownActivity }
        let now = runtime.now()
        guard let payload = CurrentPayload(event, for: activity, of: stored, by: cadence, at: now) else {
            throw Problem(kind: .unknownActivity, detail: "Its player has no hero in the adventure any more.")
        }
        let bytes = try payload.bytes(telling: try await headline(of: stored))
        return try Response(json: PayloadView(activity, event, bytes))
    }

    /// What the card tells as the last thing that happened; the beginning where nothing else can be read.
    private func headline(of stored: StoredAdventure) async throws -> Event {
        let beginning = Event.adventureStarted(kind: stored.adventure.kind)
        do {
            return try await store.newestEvent(of: stored, where: \.isTold) ?? beginning
        } catch StoreError.undecodable {
            return beginning
        }
    }
}

extension Call {
    /// What the push does that the query asks for: an update, unless it says otherwise.
    fileprivate var askedEvent: AskedPush.Event {
        get throws(Problem) {
            try queryValue("event", "must be update or end", AskedPush.Event.init(rawValue:)) ?? .update
        }
    }
}

/// The payload of a push with an activity's newest state, as it would go out at a moment.
struct CurrentPayload {
    private let event: AskedPush.Event
    private let activity: Activity
    private let stored: StoredAdventure
    private let cadence: CadencePolicy
    private let seat: Int
    private let now: Timestamp
    /// Newer than that of every push before: else the phone leaves it aside.
    private let timestamp: Int64

    /// Nil when the activity's player has no hero in the adventure.
    init?(
        _ event: AskedPush.Event,
        for activity: Activity,
        of stored: StoredAdventure,
        by cadence: CadencePolicy,
        at now: Timestamp
    ) {
        guard let seat = stored.adventure.heroes.firstIndex(where: { $0.playerID == activity.playerID }) else {
            return nil
        }
        (self.event, self.activity, self.stored, self.cadence) = (event, activity, stored, cadence)
        (self.seat, self.now) = (seat, now)
        timestamp = max(now.epochSeconds, activity.lastTimestamp + 1)
    }

    /// The JSON.
    /// - Parameter headline: the last event that a card should tell.
    /// - Returns: its bytes.
    /// - Throws: `LiveActivityPayloadError` for one that is too large to be sent.
    func bytes(telling headline: Event) throws(LiveActivityPayloadError) -> [UInt8] {
        let state = AdventureAttributes.ContentState(
            of: stored.adventure,
            lastEvent: headline,
            turnEnds: stored.turnDueAt
        )
        let hero = stored.adventure.heroes[seat]
        return try LiveActivityPayload(
            timestamp: timestamp,
            event: content(after: headline),
            contentState: EncodedContentState(state).bytes(currentHealthLevel: hero.shownHealthLevel)
        ).encoded()
    }

    private func content(after headline: Event) -> LiveActivityPayload.Event {
        switch event {
        case .update:
            .update(
                staleDate: cadence.staleDate(
                    of: PushRules.freshness(of: stored.adventure, after: headline, receiver: Seat(rawValue: seat)),
                    frequentPushesEnabled: activity.frequentPushesEnabled,
                    at: now
                ),
                relevanceScore: Relevance(of: stored.adventure, for: Seat(rawValue: seat)).score,
                alert: nil
            )
        case .end: .end(dismissalDate: cadence.dismissalDate(at: now))
        }
    }
}

/// The answer to `GET /admin/v1/activities/{activityID}/payload`.
private struct PayloadView: Encodable {
    let activityID: ActivityID
    let environment: PushEnvironment
    let event: String
    let payload: String
    let payloadBytes: Int

    init(_ activity: Activity, _ event: AskedPush.Event, _ payload: [UInt8]) {
        activityID = activity.id
        environment = activity.environment
        self.event = event.rawValue
        self.payload = String(decoding: payload, as: UTF8.self)
        payloadBytes = payload.count
    }
}
