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
        case .raidNotFound: self.init(kind: .raidNotFound, detail: "There is no raid with this identifier.")
        case .raidNotStarted:
            self.init(kind: .raidNotStarted, detail: "Its 'startsAt' says when parties can join it.")
        case .raidOver: self.init(kind: .raidOver, detail: "Its 'state' says how it has ended.")
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
        case .unknownPlayer: self = .unknownPlayer
        case .onAdventure:
            self.init(
                kind: .onAdventure,
                detail: "One of your parties is on an adventure: name and hero can be changed when it has ended."
            )
        case .profileChanged(let version):
            self.init(
                kind: .profileChanged,
                detail:
                    "The profile is at version \(version), which 'If-Match' does not name. Read it again before you change it.",
                headers: [.eTag: EntityTags.tag(of: version)]
            )
        case .unknownRecoveryCode:
            self.init(
                kind: .unknownRecoveryCode,
                detail: """
                    Check the code. It is used up by the first use of the token that it led to, and replaced by the code that \
                    was shown with that token, or by a later one.
                    """
            )
        case .unknownToken:
            self.init(
                kind: .unknownToken,
                detail: "None of your tokens has this identifier; 'GET /v1/players/me/tokens' lists them."
            )
        case .unknownAppleAccount:
            self.init(
                kind: .unknownAppleAccount,
                detail: "No player has linked this account. Register, or recover the player, and link it then."
            )
        case .appleAccountTaken:
            self.init(
                kind: .appleAccountTaken,
                detail: "Another player has linked this account. Sign in as that player and unlink or erase it first."
            )
        case .otherAppleAccount:
            self.init(
                kind: .appleAccountTaken,
                detail: "You have linked another Apple account; unlink it first."
            )
        case .identityTokenUsed:
            self = .invalidIdentityToken("It, or a newer one of this account, was used before.")
        case .frequentPushesFixed:
            self.init(
                kind: .frequentPushesFixed,
                detail:
                    "The value is fixed for the activity's life. If the person changes the setting, start a new activity."
            )
        case .tooManyActivities:
            self.init(
                kind: .tooManyActivities,
                detail: """
                    At most \(Activity.maxLivePerDevice) can be live on a device, and \(GameCommands.maxActivities) of an \
                    adventure. Release those that the device does not show any more ('POST /v1/players/me/activities/sync').
                    """
            )
        case .unknownDevice:
            self.init(
                kind: .unknownDevice,
                detail:
                    "You have registered no device with this identifier: 'PUT /v1/players/me/devices/{deviceID}' does."
            )
        case .startOutOfRange:
            self = .invalidFields([
                FieldError(field: "startsAt", reason: "must be within the last 12 hours or the next 7 days")
            ])
        case .tooManyDevices:
            self.init(
                kind: .tooManyDevices,
                detail: "A player can have \(GameCommands.maxDevices) devices; remove one with DELETE first."
            )
        case .deviceFixed:
            self.init(
                kind: .deviceFixed,
                detail: "Another of your devices has registered this Live Activity. Register the one of this device."
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
                case .device: "register \(use.limit) devices"
                case .activity: "register \(use.limit) Live Activities"
                case .profile: "change name or hero \(use.limit) times"
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
