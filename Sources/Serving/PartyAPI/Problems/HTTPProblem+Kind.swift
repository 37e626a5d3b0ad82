import HTTPServing
import HTTPTypes

extension HTTPProblem.Kind {
    /// Every kind of problem of this API.
    ///
    /// `openapi.yaml` describes each of them; a test compares it with this.
    static let all = ofServing + ofRequests + ofPlayers + ofParties + ofAdventures + ofActivities + ofOperators

    // Authentication, idempotency and the database.
    static let missingToken = Self("missing-token", .unauthorized, "Token required")
    static let invalidToken = Self("invalid-token", .unauthorized, "Invalid token")
    static let expiredToken = Self("expired-token", .unauthorized, "Expired token")
    static let viewersOnlyRead = Self("viewers-only-read", .forbidden, "Viewers may only read")
    static let idempotencyKeyReused = Self(
        "idempotency-key-reused",
        .unprocessableContent,
        "Idempotency key belongs to another request"
    )
    static let quotaExceeded = Self("quota-exceeded", .tooManyRequests, "Daily quota used up")
    static let databaseUnavailable = Self("database-unavailable", .serviceUnavailable, "Database unavailable")

    static let shardBusy = Self("shard-busy", .serviceUnavailable, "The shard is busy")
    static let outdatedNode = Self("outdated-node", .serviceUnavailable, "This node needs an upgrade")

    private static let ofRequests: [Self] = [
        .missingToken, .invalidToken, .expiredToken, .viewersOnlyRead, .idempotencyKeyReused, .quotaExceeded,
        .databaseUnavailable, .shardBusy, .outdatedNode,
    ]

    // Players.
    static let unknownRecoveryCode = Self("unknown-recovery-code", .notFound, "Unknown recovery code")
    static let unknownToken = Self("unknown-token", .notFound, "Unknown token")
    static let appleSignInOff = Self("apple-sign-in-off", .notFound, "Sign in with Apple is off")
    static let appleKeysUnavailable = Self(
        "apple-keys-unavailable",
        .serviceUnavailable,
        "Apple's keys are unavailable"
    )
    static let invalidIdentityToken = Self("invalid-identity-token", .unprocessableContent, "Invalid identity token")
    static let unknownAppleAccount = Self("unknown-apple-account", .notFound, "Unknown Apple account")
    static let appleAccountTaken = Self("apple-account-taken", .conflict, "The Apple account cannot be linked")

    static let onAdventure = Self("on-adventure", .conflict, "The player is on an adventure")
    static let profileChanged = Self("profile-changed", .preconditionFailed, "The profile has changed")

    private static let ofPlayers: [Self] = [
        .unknownRecoveryCode, .unknownToken, .onAdventure, .profileChanged, .appleSignInOff, .appleKeysUnavailable,
        .invalidIdentityToken, .unknownAppleAccount, .appleAccountTaken,
    ]

    // Parties.
    static let leaderOnly = Self("leader-only", .forbidden, "Only the party's leader may do this")
    static let unknownParty = Self("unknown-party", .notFound, "Unknown party")
    static let unknownInviteCode = Self("unknown-invite-code", .notFound, "Unknown invite code")
    static let unknownMember = Self("unknown-member", .notFound, "Unknown member")
    static let partyFull = Self("party-full", .conflict, "The party is full")
    static let partyChanged = Self("party-changed", .preconditionFailed, "The party has changed")
    static let unknownLink = Self("unknown-link", .notFound, "Unknown link")
    static let tooManyParties = Self("too-many-parties", .conflict, "The player is in too many parties")
    static let adventureRunning = Self("adventure-running", .conflict, "The party is already on an adventure")

    private static let ofParties: [Self] = [
        .leaderOnly, .unknownParty, .unknownInviteCode, .unknownMember, .partyFull, .partyChanged, .tooManyParties,
        .adventureRunning, .unknownLink,
    ]

    // Adventures.
    static let unknownAdventure = Self("unknown-adventure", .notFound, "Unknown adventure")
    static let notStarted = Self("not-started", .conflict, "The adventure has not started, or has already started")
    static let adventureOver = Self("adventure-over", .conflict, "The adventure is over")
    static let alreadyAMember = Self("already-a-member", .conflict, "The player is already in the adventure")
    static let notYourTurn = Self("not-your-turn", .conflict, "It is not your turn")
    static let heroDown = Self("hero-down", .unprocessableContent, "Your hero is down")
    static let noPotionsLeft = Self("no-potions-left", .unprocessableContent, "Your hero has no potions left")
    static let unknownTarget = Self("unknown-target", .unprocessableContent, "No hero has that seat")
    static let targetUnhurt = Self("target-unhurt", .unprocessableContent, "That hero is not hurt")
    static let targetNotDown = Self("target-not-down", .unprocessableContent, "That hero is not down")
    static let onCooldown = Self("on-cooldown", .unprocessableContent, "The signature move is on cooldown")
    static let noBoss = Self("no-boss", .unprocessableContent, "There is no boss in this adventure")
    static let unreadableRecord = Self("unreadable-record", .unprocessableContent, "The adventure cannot be played")

    private static let ofAdventures: [Self] = [
        .unknownAdventure, .notStarted, .adventureOver, .alreadyAMember, .notYourTurn, .heroDown, .noPotionsLeft,
        .unknownTarget, .targetUnhurt, .targetNotDown, .onCooldown, .noBoss, .unreadableRecord,
        .raidNotFound, .raidNotStarted, .raidOver,
    ]

    // Live Activities.
    static let unknownActivity = Self("unknown-activity", .notFound, "Unknown activity")
    static let activityTaken = Self("activity-taken", .conflict, "The activity identifier is taken")
    static let activityReleased = Self("activity-released", .conflict, "The activity was released")
    static let frequentPushesFixed = Self("frequent-pushes-fixed", .conflict, "frequentPushesEnabled cannot change")
    static let tooManyActivities = Self(
        "too-many-activities",
        .conflict,
        "Too many live activities on the device or for this adventure"
    )
    static let unknownDevice = Self("unknown-device", .notFound, "Unknown device")
    static let tooManyDevices = Self("too-many-devices", .conflict, "Too many devices")
    static let deviceFixed = Self("device-fixed", .conflict, "The activity is on another device")

    // Raids.
    static let raidNotFound = Self("raid-not-found", .notFound, "Unknown raid")
    static let raidNotStarted = Self("raid-not-started", .conflict, "The raid has not started")
    static let raidOver = Self("raid-over", .conflict, "The raid is over")

    private static let ofActivities: [Self] = [
        .unknownActivity, .activityTaken, .activityReleased, .frequentPushesFixed, .tooManyActivities,
        .unknownDevice, .tooManyDevices, .deviceFixed,
    ]

    // Operators.
    static let activityNotLive = Self("activity-not-live", .conflict, "The activity is not live")
    static let otherCampaign = Self("other-campaign", .conflict, "The campaign has another boss")
    static let tokenOfActivity = Self("token-of-activity", .conflict, "The token belongs to a live activity")
    static let noPushRoute = Self("no-push-route", .conflict, "The node does not send to this APNs environment")

    static let unknownPlayer = Self("unknown-player", .notFound, "Unknown player")
    static let adminsOnly = Self("admins-only", .forbidden, "Only admins may do this")
    static let unknownOperator = Self("unknown-operator", .notFound, "Unknown operator")
    static let operatorExists = Self("operator-exists", .conflict, "The operator has a valid token")
    static let lastAdmin = Self("last-admin", .conflict, "No other admin has a valid token")

    private static let ofOperators: [Self] = [
        .activityNotLive, .otherCampaign, .tokenOfActivity, .noPushRoute, .adminsOnly, .unknownOperator,
        .operatorExists, .lastAdmin, .unknownPlayer,
    ]
}
