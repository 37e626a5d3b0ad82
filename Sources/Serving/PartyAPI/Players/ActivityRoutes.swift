import Encodings
import GameCore
import GameEngine
import GameStore
import Hummingbird

/// The Live Activities of players' phones.
struct ActivityRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<APIContext>, _ gate: Gate) {
        router.put("v1/adventures/:adventureID/activities/:activityID", use: gate.player(register))
        router.delete("v1/adventures/:adventureID/activities/:activityID", use: gate.player(release))
        router.post("v1/players/me/activities/sync", use: gate.player(sync))
        router.put("v1/players/me/push-to-start-token", use: gate.player(keepPushToStartToken))
        router.delete("v1/players/me/push-to-start-token", use: gate.player(forgetPushToStartToken))
    }

    private func register(_ call: Call<PlayerID>) async throws -> Response {
        let adventureID = try call.adventureID
        guard let id = call.id("activityID", as: ActivityID.self) else {
            throw Problem.invalidFields([.init(field: "activityID", reason: "must be a UUID")])
        }
        let body: PushFields = try call.fields()
        let registration = ActivityRegistration(
            id: id,
            pushToken: body.route.pushToken,
            environment: body.route.environment,
            frequentPushesEnabled: body.route.frequentPushesEnabled,
            locale: body.locale
        )
        return Response(
            try await commands.register(
                registration,
                for: adventureID,
                by: call.caller,
                request: try call.repeatable
            ) { activity, isNew in
                try Answer(status: isNew ? .created : .ok, json: RegisteredActivity(activity))
            }
        )
    }

    private func release(_ call: Call<PlayerID>) async throws -> Response {
        let adventureID = try call.adventureID
        guard let id = call.id("activityID", as: ActivityID.self) else { throw CommandError.unknownActivity }
        return Response(
            try await commands.release(
                id,
                of: adventureID,
                by: call.caller,
                request: try call.repeatable
            )
        )
    }

    /// Takes no idempotency key, like the two below: asked again, it finds nothing more to do.
    private func sync(_ call: Call<PlayerID>) async throws -> Response {
        let body: SyncFields = try call.fields()
        let released = try await commands.releaseActivities(of: call.caller, butFor: Set(body.running))
        return try Response(json: ["released": released])
    }

    private func keepPushToStartToken(_ call: Call<PlayerID>) async throws -> Response {
        let body: PushToStartFields = try call.fields()
        try await store.keepPushToStartToken(
            body.route.pushToken,
            of: call.caller,
            environment: body.route.environment,
            frequentPushesEnabled: body.route.frequentPushesEnabled
        )
        return Response(status: .noContent)
    }

    private func forgetPushToStartToken(_ call: Call<PlayerID>) async throws -> Response {
        try await store.forgetPushToStartToken(of: call.caller)
        return Response(status: .noContent)
    }
}

/// What the phone hears back; the push token does not travel a second time.
private struct RegisteredActivity: Encodable {
    let activityID: ActivityID
    let adventureID: AdventureID
    let state: String
    let environment: PushEnvironment
    let frequentPushesEnabled: Bool
    let locale: String?
    let generation: Int
    let registeredAt: String

    init(_ activity: Activity) {
        activityID = activity.id
        adventureID = activity.adventureID
        state = activity.state.rawValue
        environment = activity.environment
        frequentPushesEnabled = activity.frequentPushesEnabled
        locale = activity.locale
        generation = activity.generation
        registeredAt = activity.registeredAt.rfc3339
    }
}
