import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import HTTPTypes

// The problems for the errors that routes throw.

extension HTTPProblem {
    /// Creates the problem for an error; nil if the error is a fault of the server.
    init?(_ error: any Error) {
        if let error = error as? CommandError {
            self.init(error)
            return
        }
        switch error as? StoreError {
        case .undecodable("adventures", _, let reason), .undecodable("log", _, let reason):
            self.init(kind: .unreadableRecord, detail: "This server cannot play the adventure: \(reason).")
            return
        case .newerShard, .newerHero:
            self = .outdatedNode
            return
        case .shardBusy:
            self = .shardBusy
            return
        case .undecodable, .lostRows, .missingShard, nil: break
        }
        switch DatabaseFailure(error) {
        case .timedOut, .lockTimedOut: self = .tookTooLong
        case .unavailable: self = .databaseUnavailable
        case .missingTable, nil: return nil
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
                detail: "It has ended, the device has released it, or its token is dead; its 'state' says which."
            )
        case .otherCampaign(let boss):
            self.init(
                kind: .otherCampaign,
                detail: "The campaign of this name has the boss \(boss.rawValue). Continue it, or choose another name."
            )
        case .unknownAdventure: self = .unknownAdventure
        case .partyChanged(let version):
            self.init(
                kind: .partyChanged,
                detail:
                    "The party is at version \(version), which 'If-Match' does not name. Read the party again before you change it.",
                headers: [.eTag: EntityTags.tag(of: version)]
            )
        case .unknownActivity:
            self.init(
                kind: .unknownActivity,
                detail: "You have registered no Live Activity with this identifier for this adventure."
            )
        case .activityTaken:
            self.init(
                kind: .activityTaken,
                detail:
                    "Another player has registered it for this adventure. Use the identifier of your own Live Activity."
            )
        case .activityReleased:
            self.init(
                kind: .activityReleased,
                detail:
                    "You have released this Live Activity, so it gets no pushes any more. Start another one and register that."
            )
        case .unknownPlayer:
            // Commands look up no other player than the caller, so the token belongs to an erased player.
            self = .invalidToken
        case .frequentPushesFixed:
            self.init(
                kind: .frequentPushesFixed,
                detail:
                    "The value is fixed for the activity's life. If the person changes the setting, start a new activity."
            )
        case .tooManyActivities:
            self.init(
                kind: .tooManyActivities,
                detail: "At most \(GameCommands.maxActivities) can be live at once; release one with DELETE first."
            )
        case .tooManyParties:
            self.init(
                kind: .tooManyParties,
                detail: "A player can be in \(GameCommands.maxParties) parties at once; leave one first."
            )
        case .quotaExceeded(let use):
            let what =
                switch use.kind {
                case .party: "create or join \(use.limit) parties"
                case .adventure: "start \(use.limit) adventures"
                case .device: "register \(use.limit) push-to-start tokens"
                case .activity: "register \(use.limit) Live Activities"
                }
            var headers = HTTPFields(use)
            headers[.retryAfter] = "\(use.resetSeconds)"
            self.init(
                kind: .quotaExceeded,
                detail: "A player can \(what) in a day (UTC). Wait for the seconds in 'Retry-After'.",
                headers: headers
            )
        case .keyReused:
            self.init(
                kind: .idempotencyKeyReused,
                detail: "This key was used with another method, path or body. Use a new key for each write."
            )
        }
    }

    private init(_ refusal: PartyRefusal) {
        switch refusal {
        case .full:
            self.init(
                kind: .partyFull,
                detail: "The party has as many members as its capacity allows."
            )
        case .unknownInviteCode:
            self.init(
                kind: .unknownInviteCode,
                detail: "Check the code, or ask a member for the current one: a new code replaces the old one."
            )
        case .notALeader:
            self.init(
                kind: .leaderOnly,
                detail: "Ask the leader to do it, or to hand over the leadership."
            )
        case .unknownMember:
            self.init(
                kind: .unknownMember,
                detail: "The party's 'members' lists all members."
            )
        case .adventureRunning:
            self.init(
                kind: .adventureRunning,
                detail: "A party can have one adventure at a time; wait for its end."
            )
        case .disbanded:
            self = .unknownParty
        }
    }

    private init(_ refusal: AdventureRefusal) {
        let kind: Kind
        switch refusal {
        case .notAMember:
            // Players who have left get the same response as for an unknown adventure.
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

    private static let unknownParty = Self(
        kind: .unknownParty,
        detail: "It does not exist, or you are not in it."
    )

    private static let unknownAdventure = Self(
        kind: .unknownAdventure,
        detail: "It does not exist, or you are not in it."
    )
}
