import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import LiveActivityContent
import PushCadence
import PushRules
import ServiceRuntime

/// The routes of requested pushes: `POST /admin/v1/activities/{activityID}/pushes` requests a push with the newest
/// state, or with the end, from the activity's dispatcher; `GET /admin/v1/activities/{activityID}/payload` previews its
/// payload.
struct RequestedPushRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands
    /// The policy of the dispatchers.
    let cadence: CadencePolicy
    let runtime: Runtime

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.post("admin/v1/activities/:activityID/pushes", use: authenticator.admin(query: ["event"], push))
        router.get("admin/v1/activities/:activityID/payload", use: authenticator.viewer(query: ["event"], payload))
    }

    private func push(_ request: APIRequest<Operator>) async throws -> Response {
        struct Accepted: Encodable {
            let activityID: ActivityID
            let position: Int64
        }
        let event = try request.requestedEvent
        let id = try request.activityID
        return Response(
            try await commands.push(event, to: id, by: request.author, request: try request.idempotentRequest) {
                position in
                try EncodedResponse(status: .accepted, json: Accepted(activityID: id, position: position))
            }
        )
    }

    private func payload(_ request: APIRequest<Operator>) async throws -> Response {
        let event = try request.requestedEvent
        let id = try request.activityID
        guard
            let activity = try await store.activities(named: id).first,
            let (stored, headline) = try await adventure(activity.adventureID)
        else { throw CommandError.unknownActivity }
        let now = runtime.now()
        guard let payload = CurrentPayload(event, for: activity, of: stored, by: cadence, at: now) else {
            throw HTTPProblem(
                kind: .unknownActivity,
                detail: "The activity's player no longer has a hero in the adventure."
            )
        }
        let bytes = try payload.bytes(headline: headline)
        return try Response(json: PayloadView(activity, event, bytes))
    }

    /// Returns an adventure with the last event that activities show: its start if the events were removed.
    private func adventure(_ id: AdventureID) async throws -> (StoredAdventure, headline: AdventureEvent)? {
        var headline: AdventureEvent?
        let results = try await store.adventures([id], of: id.shard) { _, stored in
            if stored.event.isHeadline { headline = stored.event }
        }
        guard let stored = try results.first?.get() else { return nil }
        return (stored, headline ?? .adventureStarted(kind: stored.adventure.kind))
    }
}

extension APIRequest {
    /// The event of the push in the query; an update by default.
    fileprivate var requestedEvent: RequestedPush.Event {
        get throws(HTTPProblem) {
            try queryValue("event", "must be update or end", RequestedPush.Event.init(rawValue:)) ?? .update
        }
    }
}

/// The payload that a push with an activity's newest state would have now.
struct CurrentPayload {
    private let event: RequestedPush.Event
    private let activity: Activity
    private let stored: StoredAdventure
    private let cadence: CadencePolicy
    private let seat: Int
    private let now: Timestamp
    /// The timestamp, later than that of every earlier push: devices ignore older ones.
    private let timestamp: Int64

    /// Creates the payload; nil if the activity's player has no hero in the adventure.
    init?(
        _ event: RequestedPush.Event,
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

    /// Encodes the payload.
    /// - Parameter headline: the last event that the activity shows.
    /// - Returns: the JSON.
    /// - Throws: `LiveActivityPayloadError` if the payload is too large for APNs.
    func bytes(headline: AdventureEvent) throws(LiveActivityPayloadError) -> [UInt8] {
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

    private func content(after headline: AdventureEvent) -> LiveActivityPayload.Event {
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

/// The response to `GET /admin/v1/activities/{activityID}/payload`.
private struct PayloadView: Encodable {
    let activityID: ActivityID
    let environment: PushEnvironment
    let event: String
    let payload: String
    let payloadBytes: Int

    init(_ activity: Activity, _ event: RequestedPush.Event, _ payload: [UInt8]) {
        activityID = activity.id
        environment = activity.environment
        self.event = event.rawValue
        self.payload = String(decoding: payload, as: UTF8.self)
        payloadBytes = payload.count
    }
}
