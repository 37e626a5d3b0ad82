import GameCore
import GameEngine
import GameStore
import Hummingbird

/// The Live Activities of players' phones.
struct ActivityRoutes: Sendable {
    let commands: GameCommands

    func add(to router: Router<BasicRequestContext>, _ gate: Gate) {
        router.put("v1/adventures/:adventureID/activities/:activityID", use: gate.player(register))
        router.delete("v1/adventures/:adventureID/activities/:activityID", use: gate.player(release))
    }

    private func register(_ call: Call<PlayerID>) async throws -> Response {
        let adventureID = try call.adventureID
        guard let id = call.id("activityID", as: ActivityID.self) else {
            throw Problem.invalidFields([.init(field: "activityID", reason: "must be a UUID")])
        }
        let body: PushFields = try call.fields()
        let registration = ActivityRegistration(
            id: id,
            pushToken: body.pushToken,
            environment: body.environment,
            frequentPushesEnabled: body.frequentPushesEnabled,
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
}

/// The body of `PUT …/activities/{activityID}`: `{pushToken, environment, frequentPushesEnabled, locale?}`.
private struct PushFields: RequestFields {
    /// What the APNs client sends to; Apple promises no length, and those of Live Activities that were seen have 80.
    private static let tokenBytes = 1...256

    let pushToken: [UInt8]
    let environment: PushEnvironment
    let frequentPushesEnabled: Bool
    let locale: String?

    init?(_ fields: inout Fields) {
        let pushToken = fields.required("pushToken", .hexadecimal(byteCount: Self.tokenBytes))
        let environment = fields.required("environment", FieldReader<PushEnvironment>.oneOfItsCases)
        let frequentPushesEnabled = fields.required("frequentPushesEnabled", .boolean)
        locale = fields.optional("locale", .languageTag)
        guard let pushToken, let environment, let frequentPushesEnabled else { return nil }
        self.pushToken = pushToken
        self.environment = environment
        self.frequentPushesEnabled = frequentPushesEnabled
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
