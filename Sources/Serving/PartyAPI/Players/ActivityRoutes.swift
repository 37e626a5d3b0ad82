import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird

/// The routes of players' Live Activities.
struct ActivityRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.put("v1/adventures/:adventureID/activities/:activityID", use: authenticator.player(register))
        router.delete("v1/adventures/:adventureID/activities/:activityID", use: authenticator.player(release))
        router.post("v1/players/me/activities/sync", use: authenticator.player(sync))
    }

    private func register(_ request: APIRequest<PlayerID>) async throws -> Response {
        let (adventureID, id) = (try request.adventureID, try request.activityID)
        let body: ActivityBody = try request.fields()
        let registration = ActivityRegistration(
            id: id,
            deviceID: body.deviceID,
            pushToken: body.target.pushToken,
            environment: body.target.environment,
            frequentPushesEnabled: body.target.frequentPushesEnabled,
            locale: body.locale,
            startsAt: body.startsAt
        )
        // A node learns about other nodes only from the database.
        let isRoutable = try await store.dispatcherSends(to: registration.environment)
        return Response(
            try await commands.register(
                registration,
                for: adventureID,
                by: request.caller,
                request: try request.idempotentRequest
            ) { activity, isNew in
                let body = RegistrationView(activity, isRoutable: isRoutable)
                return try EncodedResponse(status: isNew ? .created : .ok, json: body)
            }
        )
    }

    private func release(_ request: APIRequest<PlayerID>) async throws -> Response {
        Response(
            try await commands.release(
                try request.activityID,
                of: try request.adventureID,
                by: request.caller,
                request: try request.idempotentRequest
            )
        )
    }

    /// Releases the activities that the device no longer shows.
    ///
    /// This route supports no idempotency key: a repetition has no further effect.
    private func sync(_ request: APIRequest<PlayerID>) async throws -> Response {
        let body: SyncBody = try request.fields()
        let (released, unknown, live) = try await commands.releaseActivities(
            of: request.caller,
            on: body.deviceID,
            butFor: Set(body.running)
        )
        return try Response(
            json: ["released": released, "unknown": body.running.filter(unknown.contains), "live": live.map(\.id)]
        )
    }
}

/// The response to the registration of an activity, without the push token.
private struct RegistrationView: Encodable {
    let activityID: ActivityID
    let adventureID: AdventureID
    let deviceID: DeviceID
    let state: String
    let environment: PushEnvironment
    let frequentPushesEnabled: Bool
    let locale: String?
    let generation: Int
    let registeredAt: String
    let startsAt: String?
    /// Whether a running dispatcher sends to the environment.
    let routable: Bool

    init(_ activity: Activity, isRoutable: Bool) {
        activityID = activity.id
        adventureID = activity.adventureID
        deviceID = activity.deviceID
        state = activity.state.rawValue
        environment = activity.environment
        frequentPushesEnabled = activity.frequentPushesEnabled
        locale = activity.locale
        generation = activity.generation
        registeredAt = activity.registeredAt.rfc3339
        startsAt = activity.startsAt?.rfc3339
        routable = isRoutable
    }
}
