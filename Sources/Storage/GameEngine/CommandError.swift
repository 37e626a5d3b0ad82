public import GameCore
public import GameStore

/// The reason why a command failed.
///
/// A failed command changes nothing.
public enum CommandError: Error, Hashable, Sendable {
    /// The party's rules refused the command.
    case party(PartyRefusal)
    /// The adventure's rules refused the command.
    case adventure(AdventureRefusal)
    /// The party does not exist, or the player is not a member; the caller cannot distinguish the two.
    case unknownParty
    /// The adventure does not exist, or the player is not in its party.
    case unknownAdventure
    /// The party has this version, which is not among the versions that the caller expected.
    case partyChanged(version: Int64)
    /// The player has no such activity.
    case unknownActivity
    /// Another player has registered an activity with this identifier for the adventure.
    case activityTaken
    /// The player has released the activity, which gets no pushes any more.
    case activityReleased
    /// The activity is ended, released or dead, so it receives no pushes.
    case activityNotLive
    /// The player does not exist.
    case unknownPlayer
    /// A party of the player has a running adventure.
    case onAdventure
    /// The player's profile has this version, which is not among the versions that the caller expected.
    case profileChanged(version: Int64)
    /// The recovery code is no player's: it is wrong, used up or replaced.
    case unknownRecoveryCode
    /// The player has no such token.
    case unknownToken
    /// No player has linked the Apple account.
    case unknownAppleAccount
    /// Another player has linked the Apple account.
    case appleAccountTaken
    /// The player has linked another Apple account.
    case otherAppleAccount
    /// The identity token, or a newer one of the account, was used before.
    case identityTokenUsed
    /// `frequentPushesEnabled` is fixed for the lifetime of an activity: the system ends activities when the user
    /// changes it.
    case frequentPushesFixed
    /// The device, or the player for this adventure, has the maximum number of live activities.
    case tooManyActivities
    /// The player has no such device.
    case unknownDevice
    /// The player has the maximum number of devices.
    case tooManyDevices
    /// Another device of the player has the activity: an activity stays on its device.
    case deviceFixed
    /// A scheduled activity would start too far ahead, or has started so long ago that no device shows it any more.
    case startOutOfRange
    /// The player is in the maximum number of parties.
    case tooManyParties
    /// The player has used up a daily quota.
    case quotaExceeded(QuotaUse)
    /// The raid does not exist.
    case raidNotFound
    /// The raid is scheduled, and has not started.
    case raidNotStarted
    /// The raid has ended.
    case raidOver
    /// The campaign with this name has this other boss.
    case otherCampaign(BossID)
    /// The idempotency key was used with another request before.
    case keyReused
}
