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
        case .unknownAdventure: self = .unknownAdventure
        case .unknownActivity:
            self.init(
                slug: "unknown-activity",
                title: "You have no such activity",
                status: .notFound,
                detail: "Register the activity of this phone with PUT first."
            )
        case .unknownPlayer:
            // The commands look up nobody but their caller: the token has outlived its player.
            self = .invalidToken
        case .frequentPushesFixed:
            self.init(
                slug: "frequent-pushes-fixed",
                title: "An activity keeps its frequentPushesEnabled",
                status: .conflict,
                detail: "The value holds for the activity's life; when a person changes it, start a new activity."
            )
        case .tooManyActivities:
            self.init(
                slug: "too-many-activities",
                title: "You have enough Live Activities of this adventure",
                status: .conflict,
                detail: "At most \(GameCommands.mostActivities) can be live at once; let go of one with DELETE first."
            )
        case .keyReused:
            self.init(
                slug: "idempotency-key-reused",
                title: "The idempotency key belongs to another request",
                status: .unprocessableContent,
                detail: "This key came with another method, path or body before; use a new one for each write."
            )
        }
    }

    private init(_ refusal: PartyRefusal) {
        switch refusal {
        case .full:
            self.init(
                slug: "party-full",
                title: "The party is full",
                status: .conflict,
                detail: "As many members as the party's capacity allows are in it."
            )
        case .unknownInviteCode:
            self.init(
                slug: "unknown-invite-code",
                title: "No party has this invite code",
                status: .notFound,
                detail: "Check the code, or ask the party for its newest one: a new code ends the old one."
            )
        case .notALeader:
            self.init(
                slug: "leader-only",
                title: "Only the party's leader may do this",
                status: .forbidden,
                detail: "Ask the leader to do it, or to hand over."
            )
        case .unknownMember:
            self.init(
                slug: "unknown-member",
                title: "The party has no such member",
                status: .notFound,
                detail: "The party's members are in its 'members'."
            )
        case .adventureRunning:
            self.init(
                slug: "adventure-running",
                title: "The party is on an adventure already",
                status: .conflict,
                detail: "A party has one adventure at a time; wait until it has ended."
            )
        case .disbanded:
            self = .unknownParty
        }
    }

    private init(_ refusal: Refusal) {
        switch refusal {
        // Who has left an adventure must not be able to tell it from one that never was.
        case .notAMember: self = .unknownAdventure
        case .notStarted: self.init(refusal, .conflict, "The adventure has not started, or has already")
        case .adventureOver: self.init(refusal, .conflict, "The adventure is over")
        case .alreadyAMember: self.init(refusal, .conflict, "The player is in the adventure already")
        case .partyFull: self.init(refusal, .conflict, "The adventure is full")
        case .notYourTurn: self.init(refusal, .conflict, "It is not your turn")
        case .heroDown: self.init(refusal, .unprocessableContent, "Your hero is down")
        case .noPotionsLeft: self.init(refusal, .unprocessableContent, "Your hero has no potions left")
        case .unknownTarget: self.init(refusal, .unprocessableContent, "No hero has that seat")
        case .targetUnhurt: self.init(refusal, .unprocessableContent, "That hero is not hurt")
        case .targetNotDown: self.init(refusal, .unprocessableContent, "That hero is not down")
        case .onCooldown: self.init(refusal, .unprocessableContent, "The signature move needs rest")
        case .noBoss: self.init(refusal, .unprocessableContent, "There is no boss here")
        }
    }

    private init(_ refusal: Refusal, _ status: HTTPResponse.Status, _ title: String) {
        self.init(slug: refusal.slug, title: title, status: status, detail: refusal.explanation)
    }

    private static let unknownParty = Problem(
        slug: "unknown-party",
        title: "There is no such party",
        status: .notFound,
        detail: "It does not exist, or you are not in it."
    )

    private static let unknownAdventure = Problem(
        slug: "unknown-adventure",
        title: "There is no such adventure",
        status: .notFound,
        detail: "It does not exist, or you are not in it."
    )
}

extension PostgresError {
    /// Whether the same request may succeed once the database is well again.
    fileprivate var isOutage: Bool {
        switch self {
        case .connectionLost, .cannotConnect, .timedOut, .cancelled, .poolExhausted, .closed: true
        case .server(let error):
            // Classes 08 (connection), 53 (resources) and 57 (operator intervention, such as a shutdown).
            isRetryable || ["08", "53", "57"].contains(error.state.rawValue.prefix(2))
        case .decoding: false
        }
    }
}
