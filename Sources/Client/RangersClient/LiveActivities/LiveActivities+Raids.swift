// Like LiveActivities.swift, the tests compile this file once more with a stub of ActivityKit.
#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit) || APPLE_STUBS
public import ActivityKit
import Foundation
import GameCore
public import LiveActivityContent
import PushRules

#if APPLE_STUBS
public import RangersClient
#endif

extension LiveActivities {
    /// The time after which iOS shows a state as out of date that no broadcast has replaced, as the server sets it.
    private static let staleDelay: TimeInterval = 300

    /// Starts a Live Activity that shows the common boss of a raid on this phone, beside that of the player's own party.
    ///
    /// Broadcasts to the raid's channel update and end it. It has no push token, so the server does not know of it.
    /// - Parameter raid: the raid, read by its identifier: raids in lists have no channels.
    /// - Returns: the activity, or the one that shows the raid already; nil if the raid does not run, or as long as APNs has
    ///   not created its channel, within seconds of its start.
    /// - Throws: ``LiveActivitiesError/disabled``; `ActivityAuthorizationError` if iOS does not allow the start for
    ///   another reason.
    @available(iOS 18.0, *)
    @discardableResult
    public func follow(_ raid: RaidResponse) throws -> Activity<RaidAttributes>? {
        guard raid.state.value == .running, let channel = raid.channels?[environment.rawValue] else { return nil }
        let raidID = "\(raid.raidID)"
        if let shown = Activity<RaidAttributes>.activities.first(where: {
            $0.attributes.raidID == raidID && $0.activityState == .active
        }) {
            return shown
        }
        guard ActivityAuthorizationInfo().areActivitiesEnabled else { throw LiveActivitiesError.disabled }
        let state = RaidActivityState(
            of: raid.boss.id,
            healthLeft: raid.boss.health,
            maximumHealth: raid.boss.maximumHealth,
            phase: raid.boss.phase,
            parties: raid.parties,
            biggestBlow: raid.biggestBlow?.damage,
            endsEpochSeconds: Int64(raid.endsAt.timeIntervalSince1970),
            outcome: nil,
            round: raid.round,
            version: Int64(raid.damage) + 1
        )
        return try Activity.request(
            attributes: RaidAttributes(raidID: raidID, bossName: raid.boss.name, bossAvatar: raid.boss.avatar),
            content: ActivityContent(state: state, staleDate: Date() + Self.staleDelay, relevanceScore: 1),
            pushType: .channel(channel)
        )
    }
}
#endif
