import GameCore
import GameEngine
import Hummingbird
import PostgresClient

// Every error that a route can end with, and what clients see of it.

extension Problem {
    /// What clients see of an error, nil when it is none that a request can cause: a fault of ours.
    init?(_ error: any Error) {
        switch error {
        case let error as Problem: self = error
        case let error as CommandError: self.init(error)
        case let error as PostgresError where error.isHeldUp: self = .tookTooLong
        case let error as PostgresError where error.isOutage: self = .databaseUnavailable
        case let error as HTTPError where error.status == .notFound: self = .unknownRoute
        default: return nil
        }
    }

    private init(_ error: CommandError) {
        switch error {
        case .party(let refusal): self.init(refusal)
        case .adventure(let refusal): self.init(refusal)
        case .unknownParty: self = .unknownParty
        case .activityNotLive:
            self.init(
                kind: .activityNotLive,
                detail: "It has had its end, the phone has let go of it, or its token is dead; its 'state' says which."
            )
        case .otherCampaign(let boss):
            self.init(
                kind: .otherCampaign,
                detail: "The campaign of that name sets \(boss.rawValue); go on with that, or choose another name."
            )
        case .unknownAdventure: self = .unknownAdventure
        case .partyChanged(let version):
            self.init(
                kind: .partyChanged,
                detail: "It is at version \(version), and none of those in 'If-Match'; read it again, and decide anew.",
                headers: [.eTag: EntityTags.tag(of: version)]
            )
        case .unknownActivity:
            self.init(
                kind: .unknownActivity,
                detail: "Register the activity of this phone with PUT first."
            )
        case .unknownPlayer:
            // The commands look up nobody but their caller: the token has outlived its player.
            self = .invalidToken
        case .frequentPushesFixed:
            self.init(
                kind: .frequentPushesFixed,
                detail: "The value holds for the activity's life; when a person changes it, start a new activity."
            )
        case .tooManyActivities:
            self.init(
                kind: .tooManyActivities,
                detail: "At most \(GameCommands.mostActivities) can be live at once; let go of one with DELETE first."
            )
        case .tooManyParties:
            self.init(
                kind: .tooManyParties,
                detail: "A player can be in \(GameCommands.mostParties) at once; leave one first."
            )
        case .keyReused:
            self.init(
                kind: .idempotencyKeyReused,
                detail: "This key came with another method, path or body before; use a new one for each write."
            )
        }
    }

    private init(_ refusal: PartyRefusal) {
        switch refusal {
        case .full:
            self.init(
                kind: .partyFull,
                detail: "As many members as the party's capacity allows are in it."
            )
        case .unknownInviteCode:
            self.init(
                kind: .unknownInviteCode,
                detail: "Check the code, or ask the party for its newest one: a new code ends the old one."
            )
        case .notALeader:
            self.init(
                kind: .leaderOnly,
                detail: "Ask the leader to do it, or to hand over."
            )
        case .unknownMember:
            self.init(
                kind: .unknownMember,
                detail: "The party's members are in its 'members'."
            )
        case .adventureRunning:
            self.init(
                kind: .adventureRunning,
                detail: "A party has one adventure at a time; wait until it has ended."
            )
        case .disbanded:
            self = .unknownParty
        }
    }

    private init(_ refusal: Refusal) {
        let kind: Kind
        switch refusal {
        case .notAMember:
            // Who has left an adventure must not be able to tell it from one that never was.
            self = .unknownAdventure
            return
        case .notStarted: kind = .notStarted
        case .adventureOver: kind = .adventureOver
        case .alreadyAMember: kind = .alreadyAMember
        case .partyFull: kind = .partyFull
        case .notYourTurn: kind = .notYourTurn
        case .heroDown: kind = .heroDown
        case .noPotionsLeft: kind = .noPotionsLeft
        case .unknownTarget: kind = .unknownTarget
        case .targetUnhurt: kind = .targetUnhurt
        case .targetNotDown: kind = .targetNotDown
        case .onCooldown: kind = .onCooldown
        case .noBoss: kind = .noBoss
        }
        self.init(kind: kind, detail: refusal.explanation)
    }

    private static let unknownParty = Problem(
        kind: .unknownParty,
        detail: "It does not exist, or you are not in it."
    )

    private static let unknownAdventure = Problem(
        kind: .unknownAdventure,
        detail: "It does not exist, or you are not in it."
    )
}

extension PostgresError {
    /// Whether the database is there, and a statement had to wait for too long: for a row that somebody has locked, more
    /// often than not.
    var isHeldUp: Bool {
        switch self {
        case .timedOut: true
        case .server(let error): error.state == .lockNotAvailable || error.state == .queryCancelled
        case .connectionLost, .cannotConnect, .cancelled, .poolExhausted, .closed, .decoding: false
        }
    }

    /// Whether the same request may succeed once the database is well again.
    var isOutage: Bool {
        switch self {
        case .connectionLost, .cannotConnect, .timedOut, .cancelled, .poolExhausted, .closed: true
        case .server(let error):
            // Classes 08 (connection), 53 (resources) and 57 (operator intervention, such as a shutdown).
            isRetryable || ["08", "53", "57"].contains(error.state.rawValue.prefix(2))
        case .decoding: false
        }
    }
}
