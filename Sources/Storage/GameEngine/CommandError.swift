public import GameCore

/// Why a command was not carried out; nothing has happened.
public enum CommandError: Error, Hashable, Sendable {
    /// The party's rules refused it.
    case party(PartyRefusal)
    /// The adventure's rules refused it.
    case adventure(Refusal)
    /// There is no such party, or the player is not a member of it: the two are not told apart.
    case unknownParty
    /// There is no such adventure, or the player is not in its party.
    case unknownAdventure
    /// The party is at this version, which is none of those that the caller expected.
    case partyChanged(version: Int64)
    /// There is no such activity of this player.
    case unknownActivity
    /// The activity has had its end, was let go of, or its token is dead: nothing is pushed to it.
    case activityNotLive
    /// There is no such player.
    case unknownPlayer
    /// An activity's `frequentPushesEnabled` holds for its life: the system ends activities when a person changes it.
    case frequentPushesFixed
    /// The player has as many live activities of this adventure as allowed.
    case tooManyActivities
    /// The player is in as many parties as allowed.
    case tooManyParties
    /// The campaign of that name sets this boss, and no other.
    case otherCampaign(BossID)
    /// The idempotency key came with another request before.
    case keyReused
}
