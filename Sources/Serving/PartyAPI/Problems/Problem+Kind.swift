import HTTPTypes

extension Problem {
    /// Every kind of problem that this API answers with: its word is the end of `type`, and a promise to apps.
    ///
    /// The README lists them and `openapi.yaml` names them; tests hold both against this.
    enum Kind: String, CaseIterable {
        // Requests that do not get as far as a rule of the game.
        case malformedRequest = "malformed-request"
        case requestTooSlow = "request-too-slow"
        case headersTooLarge = "headers-too-large"
        case malformedJSON = "malformed-json"
        case missingToken = "missing-token"
        case invalidToken = "invalid-token"
        case expiredToken = "expired-token"
        case viewersOnlyRead = "viewers-only-read"
        case unknownRoute = "unknown-route"
        case wrongMethod = "wrong-method"
        case bodyTooLarge = "body-too-large"
        case tooManyRequests = "too-many-requests"
        case wrongContentType = "wrong-content-type"
        case invalidFields = "invalid-fields"
        case idempotencyKeyReused = "idempotency-key-reused"
        // Parties.
        case leaderOnly = "leader-only"
        case unknownParty = "unknown-party"
        case unknownInviteCode = "unknown-invite-code"
        case unknownMember = "unknown-member"
        case partyFull = "party-full"
        case partyChanged = "party-changed"
        case tooManyParties = "too-many-parties"
        case adventureRunning = "adventure-running"
        // Adventures.
        case unknownAdventure = "unknown-adventure"
        case notStarted = "not-started"
        case adventureOver = "adventure-over"
        case alreadyAMember = "already-a-member"
        case notYourTurn = "not-your-turn"
        case heroDown = "hero-down"
        case noPotionsLeft = "no-potions-left"
        case unknownTarget = "unknown-target"
        case targetUnhurt = "target-unhurt"
        case targetNotDown = "target-not-down"
        case onCooldown = "on-cooldown"
        case noBoss = "no-boss"
        case unreadableRecord = "unreadable-record"
        case otherRules = "other-rules"
        case detailsRemoved = "details-removed"
        // Live Activities.
        case unknownActivity = "unknown-activity"
        case frequentPushesFixed = "frequent-pushes-fixed"
        case tooManyActivities = "too-many-activities"
        // Operators.
        case activityNotLive = "activity-not-live"
        case otherCampaign = "other-campaign"
        case noPushRoute = "no-push-route"
        // The server itself.
        case internalError = "internal-error"
        case unknownMethod = "unknown-method"
        case databaseUnavailable = "database-unavailable"
        case tookTooLong = "took-too-long"
        case notReady = "not-ready"
    }
}

extension Problem.Kind {
    /// A URN, since it names and leads nowhere: no host has to be owned for it to stay true.
    private static let typePrefix = "urn:emoji-rangers:problem:"

    /// The `type` of the problem.
    var type: String { Self.typePrefix + rawValue }

    var status: HTTPResponse.Status {
        switch self {
        case .malformedRequest, .malformedJSON: .badRequest
        case .missingToken, .invalidToken, .expiredToken: .unauthorized
        case .viewersOnlyRead, .leaderOnly: .forbidden
        case .unknownRoute, .unknownParty, .unknownInviteCode, .unknownMember, .unknownAdventure, .unknownActivity:
            .notFound
        case .wrongMethod: .methodNotAllowed
        case .partyFull, .adventureRunning, .notStarted, .adventureOver, .alreadyAMember, .notYourTurn,
            .frequentPushesFixed, .tooManyActivities, .tooManyParties, .otherCampaign,
            .activityNotLive, .noPushRoute:
            .conflict
        case .requestTooSlow: .requestTimeout
        case .partyChanged: .preconditionFailed
        case .bodyTooLarge: .contentTooLarge
        case .wrongContentType: .unsupportedMediaType
        case .tooManyRequests: .tooManyRequests
        case .invalidFields, .idempotencyKeyReused, .heroDown, .noPotionsLeft, .unknownTarget, .targetUnhurt,
            .targetNotDown, .onCooldown, .noBoss, .unreadableRecord, .otherRules:
            .unprocessableContent
        case .detailsRemoved: .gone
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .internalError: .internalServerError
        case .unknownMethod: .notImplemented
        case .databaseUnavailable, .tookTooLong, .notReady: .serviceUnavailable
        }
    }

    /// What kind of problem it is, for people.
    var title: String {
        switch self {
        case .malformedRequest: "The request cannot be read as HTTP"
        case .requestTooSlow: "The request did not arrive in time"
        case .headersTooLarge: "The headers are too large"
        case .malformedJSON: "The body cannot be read as JSON"
        case .missingToken: "A token is needed"
        case .invalidToken: "The token is not valid here"
        case .expiredToken: "The token has expired"
        case .viewersOnlyRead: "Viewers may only read"
        case .unknownRoute: "There is nothing at this path"
        case .wrongMethod: "The path does not take this method"
        case .bodyTooLarge: "The body is too large"
        case .tooManyRequests: "You have sent too many requests"
        case .wrongContentType: "The body must be JSON"
        case .invalidFields: "Some fields are not as they must be"
        case .idempotencyKeyReused: "The idempotency key belongs to another request"
        case .leaderOnly: "Only the party's leader may do this"
        case .unknownParty: "There is no such party"
        case .unknownInviteCode: "No party has this invite code"
        case .unknownMember: "The party has no such member"
        case .partyFull: "The party is full"
        case .partyChanged: "The party has changed meanwhile"
        case .tooManyParties: "You are in as many parties as a player can be"
        case .adventureRunning: "The party is on an adventure already"
        case .unknownAdventure: "There is no such adventure"
        case .notStarted: "The adventure has not started, or has already"
        case .adventureOver: "The adventure is over"
        case .alreadyAMember: "The player is in the adventure already"
        case .notYourTurn: "It is not your turn"
        case .heroDown: "Your hero is down"
        case .noPotionsLeft: "Your hero has no potions left"
        case .unknownTarget: "No hero has that seat"
        case .targetUnhurt: "That hero is not hurt"
        case .targetNotDown: "That hero is not down"
        case .onCooldown: "The signature move needs rest"
        case .noBoss: "There is no boss here"
        case .unreadableRecord: "What is stored of the adventure cannot be read"
        case .otherRules: "The adventure began under other rules"
        case .detailsRemoved: "The adventure ended too long ago"
        case .unknownActivity: "There is no such activity"
        case .frequentPushesFixed: "An activity keeps its frequentPushesEnabled"
        case .tooManyActivities: "You have enough Live Activities of this adventure"
        case .activityNotLive: "Nothing is pushed to the activity any more"
        case .otherCampaign: "The campaign sets another boss"
        case .noPushRoute: "This node has no way to that APNs"
        case .internalError: "The server has failed"
        case .unknownMethod: "No path takes this method"
        case .databaseUnavailable: "The database is not available at the moment"
        case .tookTooLong: "The server took too long"
        case .notReady: "Something that is needed is missing"
        }
    }
}
