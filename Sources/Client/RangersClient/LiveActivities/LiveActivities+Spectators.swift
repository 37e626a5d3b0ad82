// Like LiveActivities.swift, the tests compile this file once more with a stub of ActivityKit.
#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit) || APPLE_STUBS
public import ActivityKit
import Foundation
import GameCore
public import LiveActivityContent

#if APPLE_STUBS
public import RangersClient
#endif

extension LiveActivities {
    /// Starts a Live Activity that shows a party's adventure to a spectator on this phone.
    ///
    /// Broadcasts to the party's channel update and end it. It has no push token, so the server does not know of it.
    /// - Parameter watched: what ``RangersServer/watch(_:)`` has returned.
    /// - Returns: the activity, or the one that shows the adventure already; nil if the party is on no adventure, or as long as
    ///   APNs has not created the channel, within seconds of the start.
    /// - Throws: ``LiveActivitiesError/disabled``; `ActivityAuthorizationError` if iOS does not allow the start for
    ///   another reason.
    @available(iOS 18.0, *)
    @discardableResult
    public func follow(_ watched: WatchedParty) throws -> Activity<SpectatorAttributes>? {
        guard let adventure = watched.adventure, adventure.outcome == nil,
            let channel = watched.channels[environment.rawValue]
        else { return nil }
        let id = "\(adventure.adventureID)"
        let isShown = { (activity: Activity<SpectatorAttributes>) in
            activity.attributes.adventureID == id && activity.activityState == .active
        }
        if let shown = Activity<SpectatorAttributes>.activities.first(where: isShown) { return shown }
        guard ActivityAuthorizationInfo().areActivitiesEnabled else { throw LiveActivitiesError.disabled }
        let state = AdventureAttributes.ContentState(of: adventure)
        return try Activity.request(
            attributes: SpectatorAttributes(adventureID: id),
            // The server sets the same stale date.
            content: ActivityContent(state: state, staleDate: Date() + 300, relevanceScore: 1),
            pushType: .channel(channel)
        )
    }
}
#endif
