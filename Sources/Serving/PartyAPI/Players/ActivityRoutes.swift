import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import HTTPTypes
import Hummingbird

/// The routes of players' Live Activities.
struct ActivityRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.put("v1/adventures/:adventureID/activities/:activityID", use: authenticator.player(register))
        router.delete("v1/adventures/:adventureID/activities/:activityID", use: authenticator.player(release))
        router.post("v1/players/me/activities/sync", use: authenticator.player(sync))
        router.put("v1/players/me/push-to-start-token", use: authenticator.player(storePushToStartToken))
        router.delete("v1/players/me/push-to-start-token", use: authenticator.player(removePushToStartToken))
    }

    private func register(_ request: APIRequest<PlayerID>) async throws -> Response {
        let (adventureID, id) = (try request.adventureID, try request.activityID)
        let body: ActivityBody = try request.fields()
        let registration = ActivityRegistration(
            id: id,
            pushToken: body.target.pushToken,
            environment: body.target.environment,
            frequentPushesEnabled: body.target.frequentPushesEnabled,
            locale: body.locale
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
    /// This route and the two below support no idempotency key: a repetition has no further effect.
    private func sync(_ request: APIRequest<PlayerID>) async throws -> Response {
        let body: SyncBody = try request.fields()
        let (released, unknown) = try await commands.releaseActivities(of: request.caller, butFor: Set(body.running))
        return try Response(json: ["released": released, "unknown": body.running.filter(unknown.contains)])
    }

    private func storePushToStartToken(_ request: APIRequest<PlayerID>) async throws -> Response {
        let body: PushToStartBody = try request.fields()
        let quota = try await commands.storePushToStartToken(
            body.target.pushToken,
            of: request.caller,
            environment: body.target.environment,
            frequentPushesEnabled: body.target.frequentPushesEnabled
        )
        let isRoutable = try await store.dispatcherSends(to: body.target.environment)
        var response = try Response(json: PushToStartView(body.target, isRoutable: isRoutable))
        if let quota { response.headers.append(contentsOf: HTTPFields(quota)) }
        return response
    }

    private func removePushToStartToken(_ request: APIRequest<PlayerID>) async throws -> Response {
        try await store.removePushToStartToken(of: request.caller)
        return Response(status: .noContent)
    }
}

/// The response to the registration of an activity, without the push token.
private struct RegistrationView: Encodable {
    let activityID: ActivityID
    let adventureID: AdventureID
    let state: String
    let environment: PushEnvironment
    let frequentPushesEnabled: Bool
    let locale: String?
    let generation: Int
    let registeredAt: String
    /// Whether a running dispatcher sends to the environment.
    let routable: Bool

    init(_ activity: Activity, isRoutable: Bool) {
        activityID = activity.id
        adventureID = activity.adventureID
        state = activity.state.rawValue
        environment = activity.environment
        frequentPushesEnabled = activity.frequentPushesEnabled
        locale = activity.locale
        generation = activity.generation
        registeredAt = activity.registeredAt.rfc3339
        routable = isRoutable
    }
}

/// The response to the registration of a push-to-start token, without the token.
private struct PushToStartView: Encodable {
    let environment: PushEnvironment
    let frequentPushesEnabled: Bool
    /// Whether a running dispatcher sends to the environment.
    let routable: Bool

    init(_ target: PushTarget, isRoutable: Bool) {
        environment = target.environment
        frequentPushesEnabled = target.frequentPushesEnabled
        routable = isRoutable
    }
}
